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
from rag.wire.envelope import Problem, problem_of
from rag.wire.failures import whereabouts
from rag.wire.workers import Workers

# What a failure has for a code that has none of its own.
UNAVAILABLE, INTERNAL = "UNAVAILABLE", "INTERNAL_ERROR"


def failed(problem: Problem) -> dict[str, Any]:
    """The event that tells of an error where a contract has no shape of its own for it."""
    code = problem.code or (INTERNAL if problem.status == 500 else UNAVAILABLE)
    return {"type": "error", "code": code, "message": problem.message}


class EventStream(StreamingResponse):
    """Lines that are made as they are sent, and no longer than somebody reads them."""

    def __init__(self, lines: Generator[str, None, None], workers: Workers) -> None:
        # A proxy that waits for the end would make a stream of no use.
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(workers.each(lines), media_type="text/event-stream", headers=headers)
        self._lines = lines

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            # A reader who leaves must not leave a language model behind that writes on.
            self._lines.close()


def streamed(
    request: Request,
    events: Iterator[dict[str, Any]],
    failure: Callable[[Problem], dict[str, Any]] = failed,
) -> EventStream:
    """The events as a response. To be called where the events are made: they are made on in the
    same context, so that the request's time limit, counters and notes are theirs too."""
    run = copy_context().run

    def within() -> Generator[str, None, None]:
        with closing(_with_failures(events, request, failure)) as told:
            while (event := run(_next(told))) is not None:
                yield f"data: {json.dumps(event, ensure_ascii=False)}\n\n"

    return EventStream(within(), request.app.state.workers)


def _next(events: Iterator[dict[str, Any]]) -> Callable[[], dict[str, Any] | None]:
    return lambda: next(events, None)


def _with_failures(
    events: Iterator[dict[str, Any]],
    request: Request,
    failure: Callable[[Problem], dict[str, Any]],
) -> Generator[dict[str, Any], None, None]:
    """The status is sent by now: what fails later is told by an event."""
    try:
        yield from events
    except Exception as error:
        bug = error.__cause__ if isinstance(error, FootnoteError) else error
        if bug is not None:
            request.state.failure = whereabouts(bug)
        yield failure(problem_of(error))
