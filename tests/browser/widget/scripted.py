"""The widget's API as a test wants it: it says what it is told to, when it is told to."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

WIDGET = Path(__file__).parents[3] / "widget" / "widget.js"
PATIENCE = 15.0  # seconds that a gate stays shut at most

Step = bytes | threading.Event  # what is sent next, or what is waited for


@dataclass
class Reply:
    """One answer: bytes, and gates between them that a test opens. `cut` breaks it off."""

    steps: Sequence[Step]
    status: int = 200
    kind: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False


def event(**content: Any) -> bytes:
    """An event as the server writes it."""
    return f"data: {json.dumps(content, ensure_ascii=False)}\n\n".encode()


def answer(text: str, *sources: dict[str, Any], id: str = "ans_1") -> dict[str, Any]:
    """All that is told of an answer."""
    numbered = [
        {"id": f"cit_{n}", "score": 0.9, "excerpt": "", "n": n, **one}
        for n, one in enumerate(sources, 1)
    ]
    return {"answer": text, "sources": numbered, "metadata": {}, "answer_id": id}


def streamed(text: str, *sources: dict[str, Any], id: str = "ans_1") -> Reply:
    """An answer in events, all at once."""
    whole = answer(text, *sources, id=id)
    steps = [
        event(type="chunk", text=text),
        event(type="sources", sources=whole["sources"]),
        event(type="complete", **whole),
    ]
    return Reply(steps, kind="text/event-stream")


def whole(body: Any) -> Reply:
    """A body of JSON."""
    return Reply([json.dumps(body).encode()])


def refused(status: int, code: str, details: Any = None, **headers: str) -> Reply:
    """An error as the contract has it."""
    body = {"error": {"code": code, "message": "Not for people", "details": details}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply([json.dumps(body).encode()], status, headers=named)


@dataclass(frozen=True)
class Asked:
    """A request that came."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


class ScriptedApi:
    """Serves the widget, and answers it from a list."""

    def __init__(self) -> None:
        self.replies: deque[Reply] = deque()
        self.look: dict[str, Any] | None = None
        self.requests: list[Asked] = []
        api = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_OPTIONS(self) -> None:
                self._send(Reply([b""], 204))

            def do_GET(self) -> None:
                api.requests.append(Asked("GET", self.path, dict(self.headers), None))
                if self.path.endswith("/look"):
                    body = {"id": "site_1", "name": "One", "look": api.look}
                    self._send(whole(body) if api.look is not None else refused(404, "NOT_FOUND"))
                else:
                    self._send(Reply([WIDGET.read_bytes()], kind="text/javascript"))

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                api.requests.append(Asked("POST", self.path, dict(self.headers), body))
                self._send(api.replies.popleft())

            def _send(self, reply: Reply) -> None:
                self.close_connection = True
                self.send_response(reply.status)
                for name, value in {
                    "Content-Type": reply.kind,
                    "Access-Control-Allow-Origin": "*",
                    "Access-Control-Allow-Headers": "authorization, content-type, x-site",
                    "Access-Control-Expose-Headers": "Retry-After",
                    "Connection": "close",
                    # More than is sent: the browser sees that something is missing.
                    **({"Content-Length": "1000000"} if reply.cut else {}),
                    **reply.headers,
                }.items():
                    self.send_header(name, value)
                self.end_headers()
                for step in reply.steps:
                    if isinstance(step, threading.Event):
                        step.wait(PATIENCE)
                        continue
                    try:
                        self.wfile.write(step)
                        self.wfile.flush()
                    except OSError:  # the reader has left, as it may
                        return

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.block_on_close = False  # what waits at a gate may wait there
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}
        )
        self._thread.start()

    @property
    def asked(self) -> list[Any]:
        """The bodies of the questions, in their order."""
        return [one.body for one in self.requests if one.path == "/api/v1/chat"]

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
