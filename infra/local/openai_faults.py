"""Misbehaves as vendors do, when told to."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Literal

from pydantic import BaseModel
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from infra.local import openai_shapes as shapes

FAR_MORE = 1_000_000


class Fault(BaseModel):
    """What to do to the next requests, how often, and to which path."""

    kind: Literal["slow", "429", "500", "400", "drop", "break", "malformed"]
    times: int = 1
    path: str = "/v1/"  # requests whose path begins so
    seconds: float = 60.0  # for `slow`
    retry_after: str | None = None  # for `429`
    code: str | None = None
    body: str = '{"object": "list", "data": [{"emb'  # for `malformed`


class Faults:
    """What is still to go wrong, in order."""

    def __init__(self) -> None:
        self._pending: deque[Fault] = deque()

    def add(self, fault: Fault) -> None:
        """Let the next requests fail, after those that are to fail already."""
        self._pending.extend([fault] * fault.times)

    def clear(self) -> None:
        """Behave from now on."""
        self._pending.clear()

    def take(self, path: str) -> Fault | None:
        """The fault that a request to this path meets."""
        for fault in self._pending:
            if path.startswith(fault.path):
                self._pending.remove(fault)
                return fault
        return None


class Misbehaving:
    """Stands before the server and spoils what it is told to."""

    def __init__(self, app: ASGIApp, faults: Faults) -> None:
        self._app = app
        self._faults = faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        fault = self._faults.take(scope["path"]) if scope["type"] == "http" else None
        if fault is None:
            await self._app(scope, receive, send)
        elif fault.kind == "slow":
            await asyncio.sleep(fault.seconds)
            await self._app(scope, receive, send)
        elif fault.kind == "break":
            await self._app(scope, receive, _breaking(send))
        else:
            await _answer(fault)(scope, receive, send)


def _answer(fault: Fault) -> Response:
    if fault.kind == "drop":
        # Promised more than is sent: the server closes the connection.
        return Response(b"{", headers={"content-length": str(FAR_MORE)})
    if fault.kind == "malformed":
        return Response(fault.body, media_type="application/json")
    answer = shapes.error(int(fault.kind), "told to fail", fault.code)
    if fault.retry_after is not None:
        answer.headers["retry-after"] = fault.retry_after
    return answer


def _breaking(send: Send) -> Send:
    """Lets the first parts of a body through and then closes the connection."""
    left = 3

    async def broken(message: Message) -> None:
        nonlocal left
        if message["type"] == "http.response.start":
            length = (b"content-length", str(FAR_MORE).encode())
            others = [one for one in message["headers"] if one[0] != length[0]]
            await send({**message, "headers": [*others, length]})
        elif left:
            left -= 1
            await send({**message, "more_body": True})

    return broken
