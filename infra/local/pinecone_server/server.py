"""The data plane over HTTP, on loopback unless told otherwise."""

from __future__ import annotations

import hmac
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from infra.local.pinecone_server import rules
from infra.local.pinecone_server.faults import Faults, Refused
from infra.local.pinecone_server.inference import rerank
from infra.local.pinecone_server.lies import LIES
from infra.local.pinecone_server.plane import DEFAULT, PAGE, Answer, Body, Plane


class PineconeServer(ThreadingHTTPServer):
    """Serves one index; its `faults` may be changed while it runs."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self,
        dimension: int,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        api_key: str = "local",
        data: Path | None = None,
    ) -> None:
        super().__init__((host, port), Handler)
        self.api_key = api_key
        self.faults = Faults()
        self.plane = Plane(dimension, self.faults, data)
        self.url = f"http://{host}:{self.server_port}"

    def misbehave(self, **faults: Any) -> None:
        """Begin with these faults and no others; with none, behave."""
        vars(self.faults).update(vars(Faults(**faults)))

    def start(self) -> threading.Thread:
        """Serve in a thread of this process."""
        thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        return thread

    def server_close(self) -> None:
        super().server_close()
        self.plane.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Callers that go away in the middle are what this server is for."""


class Handler(BaseHTTPRequestHandler):
    """One connection: parses, routes, answers."""

    server: PineconeServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # head and body leave together

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_DELETE(self) -> None:
        self._serve()

    def log_message(self, format: str, *args: Any) -> None:
        """Silence: what the callers log is enough."""

    def _serve(self) -> None:
        faults, path = self.server.faults, urlsplit(self.path).path
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if faults.slow:
            time.sleep(faults.slow)
        fault = faults.strike(path)
        if fault == "drop":
            self.close_connection = True
            return
        try:
            if fault == "status":
                raise Refused(faults.status, "The server was told to fail.", faults.retry_after)
            self._check_key()
            body, headers = self._route(path, raw, partial=fault == "partial")
            if fault == "lie":
                body = LIES[faults.lie](self.server.plane, body)
            self._answer(200, body, headers, whole=fault != "malformed")
        except Refused as refused:
            after = refused.retry_after
            headers = {} if after is None else {"retry-after": f"{after:g}"}
            self._answer(refused.status, refused.body, headers)

    def _check_key(self) -> None:
        sent = self.headers.get("Api-Key") or ""
        if not hmac.compare_digest(sent.encode(), self.server.api_key.encode()):
            raise Refused(401, "Invalid API Key")

    def _route(self, path: str, raw: bytes, *, partial: bool) -> Answer:
        if len(raw) > rules.MOST_BYTES:
            raise Refused(
                400,
                f"Request size {len(raw)} bytes exceeds the maximum supported size of"
                f" {rules.MOST_BYTES} bytes",
            )
        plane = self.server.plane
        query = parse_qs(urlsplit(self.path).query)
        namespace = query.get("namespace", [DEFAULT])[0]
        match self.command, path.strip("/").split("/"):
            case "POST", ["vectors", "upsert"]:
                return plane.upsert(_json(raw), partial=partial)
            case "POST", ["vectors", "update"]:
                return plane.update(_json(raw))
            case "POST", ["vectors", "delete"]:
                return plane.delete(_json(raw))
            case "POST", ["query"]:
                return plane.query(_json(raw))
            case "POST" | "GET", ["describe_index_stats"]:
                return plane.stats(_json(raw))
            case "GET", ["vectors", "fetch"]:
                return plane.fetch(namespace, query.get("ids", []))
            case "GET", ["vectors", "list"]:
                limit = int(query.get("limit", [str(PAGE)])[0])
                after = query.get("paginationToken", [""])[0]
                return plane.list(namespace, query.get("prefix", [""])[0], limit, after)
            case "GET", ["namespaces"]:
                return plane.namespaces()
            case "GET", ["namespaces", name]:
                return plane.describe_namespace(unquote(name))
            case "DELETE", ["namespaces", name]:
                return plane.delete_namespace(unquote(name))
            case "POST", ["rerank"]:
                return rerank(_json(raw)), {}
            case "POST", ["faults"]:
                self.server.misbehave(**_json(raw))
                return {}, {}
        raise Refused(404, f"There is no {self.command} {path}")

    def _answer(
        self, status: int, body: Body, headers: dict[str, str], *, whole: bool = True
    ) -> None:
        content = json.dumps(body).encode()
        if not whole:
            content = content[: len(content) // 2]
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()


def _json(raw: bytes) -> Body:
    try:
        body = json.loads(raw or b"{}")
    except ValueError as wrong:
        raise Refused(400, f"Invalid JSON: {wrong}") from wrong
    if not isinstance(body, dict):
        raise Refused(400, "The body must be an object")
    return body
