"""Server-sent events: answers that are sent while they are made."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from contextvars import copy_context
from typing import Any

from fastapi import Request
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from rag.errors import FootnoteError
from rag.wire.failures import whereabouts

# What a failure has for a code that has none of its own.
UNAVAILABLE, INTERNAL = "UNAVAILABLE", "INTERNAL_ERROR"


class EventStream(StreamingResponse):
    """Lines that are made as they are sent, and no longer than somebody reads them."""

    def __init__(self, lines: Generator[str, None, None]) -> None:
        # A proxy that waits for the end would make a stream of no use.
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(lines, media_type="text/event-stream", headers=headers)
        self._lines = lines

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            # A reader who leaves must not leave a language model behind that writes on.
            self._lines.close()


def streamed(request: Request, events: Iterator[dict[str, Any]]) -> EventStream:
    """The events as a response. To be called where the events are made: they are made on in the
    same context, so that the request's time limit, counters and notes are theirs too."""
    run = copy_context().run

    def within() -> Generator[str, None, None]:
        with closing(_with_failures(events, request)) as told:
            while (event := run(_next(told))) is not None:
                yield f"data: {json.dumps(event, ensure_ascii=False)}\n\n"

    return EventStream(within())


def _next(events: Iterator[dict[str, Any]]) -> Callable[[], dict[str, Any] | None]:
    return lambda: next(events, None)


def _with_failures(
    events: Iterator[dict[str, Any]], request: Request
) -> Generator[dict[str, Any], None, None]:
    """The status is sent by now: what fails later is told by an event."""
    try:
        yield from events
    except FootnoteError as error:
        if error.__cause__ is not None:
            request.state.failure = whereabouts(error.__cause__)
        yield _failure(error.code or UNAVAILABLE, error.message)
    except Exception as bug:
        request.state.failure = whereabouts(bug)
        yield _failure(INTERNAL, "Something went wrong on our side.")


def _failure(code: str, message: str) -> dict[str, Any]:
    return {"type": "error", "code": code, "message": message}
