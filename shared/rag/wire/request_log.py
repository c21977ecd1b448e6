"""One line per request, and a request id on every response."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from time import perf_counter
from typing import Any, TypeAlias

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rag import timing, usage

Log: TypeAlias = Callable[[dict[str, Any]], None]

LONGEST_ID = 128


class RequestLog:
    """A line holds no text of documents, questions or answers, and no credentials."""

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

        with timing.measured() as stages, usage.counted() as used:
            await self._app(scope, receive, send_with_id)
        state = scope.get("state", {})
        line["route"] = getattr(scope.get("route"), "path", None)
        line["org"] = getattr(state.get("principal"), "org", None)
        line["ms"] = round((perf_counter() - started) * 1000, 1)
        line["stages"] = {name: round(ms, 1) for name, ms in stages.items()}
        if used:
            line["usage"] = dict(used)
        line |= state.get("event", {})
        if "failure" in state:
            line["failure"] = state["failure"]
        self._log(line)


def _request_id(scope: Scope) -> str:
    """The caller's id where it is harmless, else a new one."""
    given = Headers(scope=scope).get("x-request-id", "")
    fine = 0 < len(given) <= LONGEST_ID and given.isascii() and given.isprintable()
    return given if fine else str(uuid.uuid4())
