"""What requests have done and used, added to their orgs' days."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from anyio import CapacityLimiter, move_on_after, to_thread
from starlette.types import ASGIApp, Receive, Scope, Send

from rag import usage
from rag.stores.usages import ADD_SECONDS

Record: TypeAlias = Callable[[str, Mapping[str, int]], None]


class UsageRecord:
    """Records what a request counts when all of its answer is sent. In a crowd one records for
    all who are answered meanwhile: that is one write for many, and whoever asks does not feel it.
    """

    def __init__(self, app: ASGIApp, record: Record) -> None:
        self._app = app
        self._record = record
        self._pending: dict[str, Counter[str]] = {}  # by org
        self._recording = False
        # A thread of its own: no request waits for it, where the table does not answer.
        self._thread = CapacityLimiter(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with usage.counted() as used:
            await self._app(scope, receive, send)
        org = _org(scope.get("state", {}))
        if used and org is not None:
            self._pending.setdefault(org, Counter()).update(dict(used))
            if not self._recording:
                await self._record_all()

    async def _record_all(self) -> None:
        self._recording = True
        try:
            while self._pending:
                org, used = self._pending.popitem()
                # In Lambda the answer waits for this.
                with move_on_after(ADD_SECONDS):
                    await to_thread.run_sync(
                        self._record, org, used, abandon_on_cancel=True, limiter=self._thread
                    )
        finally:
            self._recording = False


def _org(state: Mapping[str, Any]) -> str | None:
    """The org that was asked: of visitors their site's, else the caller's own."""
    org: str | None = state.get("org") or getattr(state.get("principal"), "org", None)
    return org
