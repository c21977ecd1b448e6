"""Threads for long work, so that short requests never wait for it; and for what has begun, so that
it does not wait for what has not."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Annotated, TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import Depends, Request

# Embedding keeps every core busy; more at once would only be slower together.
MOST_AT_ONCE = 4
# Who writes an answer mostly waits for a language model.
MOST_STREAMS = 100

Result = TypeVar("Result")


class Workers:
    """Runs so much work at once; the rest waits without holding a thread."""

    def __init__(self) -> None:
        self._limiter = CapacityLimiter(MOST_AT_ONCE)
        self._streams = CapacityLimiter(MOST_STREAMS)

    async def run(self, work: Callable[[], Result]) -> Result:
        """The result of the work, once it has had its turn."""
        return await to_thread.run_sync(work, limiter=self._limiter)

    async def each(self, lines: Iterator[str]) -> AsyncIterator[str]:
        """The lines of an answer that is being given, as they are made."""
        while (
            line := await to_thread.run_sync(next, lines, None, limiter=self._streams)
        ) is not None:
            yield line


async def workers(request: Request) -> Workers:
    """The workers of this app."""
    of_app: Workers = request.app.state.workers
    return of_app


AppWorkers = Annotated[Workers, Depends(workers)]
