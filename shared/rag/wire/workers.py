"""Threads for long work, so that short requests never wait for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import Depends, Request

# Embedding keeps every core busy; more at once would only be slower together.
MOST_AT_ONCE = 4

Result = TypeVar("Result")


class Workers:
    """Runs so much work at once; the rest waits without holding a thread."""

    def __init__(self) -> None:
        self._limiter = CapacityLimiter(MOST_AT_ONCE)

    async def run(self, work: Callable[[], Result]) -> Result:
        """The result of the work, once it has had its turn."""
        return await to_thread.run_sync(work, limiter=self._limiter)


async def workers(request: Request) -> Workers:
    """The workers of this app."""
    of_app: Workers = request.app.state.workers
    return of_app


AppWorkers = Annotated[Workers, Depends(workers)]
