"""What a request has done and used, added to its org's day."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from anyio import CapacityLimiter, move_on_after, to_thread
from starlette.types import ASGIApp, Receive, Scope, Send

from rag import usage
from rag.stores.usages import ADD_SECONDS

Record: TypeAlias = Callable[[str, Mapping[str, int]], None]

# Threads of its own: where the table does not answer, no request waits for one of these.
MOST_AT_ONCE = 4


class UsageRecord:
    """Records once per request that counts anything, when all of its answer is sent."""

    def __init__(self, app: ASGIApp, record: Record) -> None:
        self._app = app
        self._record = record
        self._limiter = CapacityLimiter(MOST_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with usage.counted() as used:
            await self._app(scope, receive, send)
        org = _org(scope.get("state", {}))
        if used and org is not None:
            # In Lambda the answer waits for this.
            with move_on_after(ADD_SECONDS):
                await to_thread.run_sync(
                    self._record, org, used, abandon_on_cancel=True, limiter=self._limiter
                )


def _org(state: Mapping[str, Any]) -> str | None:
    """The org that was asked: of visitors their site's, else the caller's own."""
    org: str | None = state.get("org") or getattr(state.get("principal"), "org", None)
    return org
