"""Whatever fails inside becomes an answer."""

from __future__ import annotations

import traceback
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rag.wire.envelope import problem_of
from rag.wire.shapes import shaped


class Failures:
    """A bug of ours is a 500 that tells nothing; the log is told where it was."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception as error:
            scope.setdefault("state", {})["failure"] = whereabouts(error)
            if not started:
                await shaped(problem_of(error), scope["path"])(scope, receive, send)


def whereabouts(error: BaseException) -> dict[str, Any]:
    """What failed and where, but not the message: it may quote a document."""
    frames = traceback.extract_tb(error.__traceback__)[-8:]
    return {
        "type": type(error).__name__,
        "frames": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }
