"""DynamoDB over HTTP on loopback, which fails as it is told to: moto behind a socket."""

from __future__ import annotations

import json
import secrets
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from botocore.awsrequest import AWSRequest

Kind = Literal["error", "drop", "lost", "cut", "malformed"]


@dataclass
class Fault:
    """What happens to the next `times` requests, or to all, that mention `about`."""

    kind: Kind | None = None
    code: str = "InternalServerError"
    status: int = 500
    slow: float = 0.0  # seconds before an answer
    times: int | None = None
    about: str = ""  # an operation, a table, or anything in a request

    def strikes(self, operation: str, body: bytes) -> bool:
        if self.times == 0 or self.about.encode() not in operation.encode() + b" " + body:
            return False
        if self.times is not None:
            self.times -= 1
        return True


class DynamoDBServer(ThreadingHTTPServer):
    """Serves the tables that are emulated in this process, one request at a time."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, region: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.fault = Fault()
        name = secrets.token_hex(4)
        self.items, self.fleeting = f"items-{name}", f"fleeting-{name}"
        self._region = region
        self._lock = threading.Lock()

    def misbehave(self, **fault: Any) -> None:
        """Begin with this fault and no other; with none, behave."""
        self.fault = Fault(**fault) if fault else Fault(times=0)

    @property
    def settings(self) -> dict[str, str]:
        """What makes a server of ours use these tables."""
        return {
            "ITEMS_TABLE": self.items,
            "FLEETING_TABLE": self.fleeting,
            "AWS_REGION": self._region,
            "AWS_ENDPOINT_URL": self.url,
        }

    def answer(self, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        from moto.core.models import botocore_stubber

        url = f"https://dynamodb.{self._region}.amazonaws.com/"
        request = AWSRequest("POST", url, headers, body).prepare()
        with self._lock:
            answer = botocore_stubber("before-send.dynamodb", request)
        return answer.status_code, answer.content

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Callers that go away in the middle are what this server is for."""


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: DynamoDBServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self) -> None:
        fault = self.server.fault
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        operation = self.headers.get("X-Amz-Target", "").rpartition(".")[2]
        if not fault.strikes(operation, body):
            self._send(*self.server.answer(dict(self.headers), body))
            return
        if fault.slow:
            time.sleep(fault.slow)
        match fault.kind:
            case "error":
                told = {"__type": f"com.amazonaws.dynamodb.v20120810#{fault.code}", "message": "no"}
                self._send(fault.status, json.dumps(told).encode())
            case "drop":
                self.close_connection = True
            case "lost":
                self.server.answer(dict(self.headers), body)
                self.close_connection = True
            case "cut":
                status, content = self.server.answer(dict(self.headers), body)
                self._send(status, content[: len(content) // 2], len(content) + 1)
                self.close_connection = True
            case "malformed":
                self._send(200, b"<html>Sign in to this network</html>")
            case None:
                self._send(*self.server.answer(dict(self.headers), body))

    def log_message(self, format: str, *args: Any) -> None:
        """Silence."""

    def _send(self, status: int, content: bytes, length: int | None = None) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/x-amz-json-1.0")
        self.send_header("content-length", str(len(content) if length is None else length))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()
