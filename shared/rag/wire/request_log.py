"""One line per request, and a request id on every response."""

from __future__ import annotations

import traceback
import uuid
from collections.abc import Callable
from time import perf_counter
from typing import Any, TypeAlias

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rag import timing
from rag.wire.envelope import answer_to

Log: TypeAlias = Callable[[dict[str, Any]], None]

LONGEST_ID = 128


class RequestLog:
    """Outermost: whatever fails inside becomes an answer, and every answer is logged.

    A line holds no text of documents, questions or answers, and no credentials.
    """

    def __init__(self, app: ASGIApp, log: Log) -> None:
        self._app = app
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        started = perf_counter()
        line: dict[str, Any] = {"request_id": _request_id(scope), "method": scope["method"]}

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                line["status"] = message["status"]
                MutableHeaders(scope=message)["X-Request-ID"] = line["request_id"]
            await send(message)

        with timing.measured() as stages:
            try:
                await self._app(scope, receive, send_with_id)
            except Exception as error:
                line["failure"] = _where(error)
                if "status" not in line:
                    await answer_to(error)(scope, receive, send_with_id)
        principal = scope.get("state", {}).get("principal")
        self._log(
            {
                **line,
                "route": getattr(scope.get("route"), "path", None),
                "org": getattr(principal, "org", None),
                "ms": round((perf_counter() - started) * 1000, 1),
                "stages": {name: round(ms, 1) for name, ms in stages.items()},
            }
        )


def _request_id(scope: Scope) -> str:
    """The caller's id where it is harmless, else a new one."""
    given = Headers(scope=scope).get("x-request-id", "")
    fine = 0 < len(given) <= LONGEST_ID and given.isascii() and given.isprintable()
    return given if fine else str(uuid.uuid4())


def _where(error: Exception) -> dict[str, Any]:
    """What failed and where, but not the message: it may quote a document."""
    frames = traceback.extract_tb(error.__traceback__)[-8:]
    return {
        "type": type(error).__name__,
        "frames": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }
