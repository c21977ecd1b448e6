"""Limits: how often a visitor came within a minute.

A visitor whose tier may come N times a minute has N slots, each with the time of its last use, and
each used at most once in 60 seconds: so no 60 seconds have more than N calls, however many come at
once. Whoever comes takes one of the free slots by chance, guarded by that slot alone: of those who
come at once most take different ones, and do not get in each other's way.
"""

from __future__ import annotations

import math
import random
from contextlib import suppress
from dataclasses import dataclass

from rag import timing
from rag.clock import Clock
from rag.errors import ConditionFailed, RateLimited
from rag.limits import PER_MINUTE, Visitor
from rag.ports import Absent, Equals, Item, Items, Key, Put, Update
from rag.stores import layout

MINUTE = 60_000  # milliseconds
# Whoever was held up between its clock and its write moves the end of the whole item back by as
# much: at most by the time that a request has, and even then no slot of others is forgotten.
KEPT_SECONDS = 120
# What was written so much later than its time says would be free again too early.
LATE = 1_000


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

    def admit(self, visitor: Visitor, what: str) -> Admission:
        """Count a call. Raises RateLimited."""
        limit = PER_MINUTE[visitor.tier]
        if limit is None:
            return Admission(None, None)
        key = layout.limit(what, visitor)
        while True:
            with timing.stage("admit"), suppress(ConditionFailed):
                seen = self._items.get(key)
                now = self._clock() * 1000
                used = {str(slot): (seen or {}).get(str(slot)) for slot in range(limit)}
                free = [slot for slot, at in used.items() if _is_free(at, now)]
                if not free:
                    oldest = min(at for at in used.values() if at is not None)
                    wait = math.ceil((oldest + MINUTE - now) / 1000)
                    raise RateLimited(max(1, wait), limit, visitor.tier)
                self._take(key, seen, random.choice(free), now)
                return Admission(limit, len(free) - 1)

    def _take(self, key: Key, seen: Item | None, slot: str, now: float) -> None:
        """Raises ConditionFailed if somebody else has taken it."""
        while True:
            # Rounded up, and compared as it is: a slot is never free a part of a moment too early.
            use = {slot: math.ceil(now)}
            expires = int(now / 1000) + KEPT_SECONDS
            if seen is None:
                self._items.write_lightly(Put(key, use, Absent(), expires))
            else:
                guard = Equals(slot, seen.get(slot))
                self._items.write_lightly(Update(key, use, when=guard, expires=expires))
            written = self._clock() * 1000
            if written - now <= LATE:
                return
            timing.check()
            seen, now = use, written


def _is_free(at: int | None, now: float) -> bool:
    # A time that far ahead is of a clock that was wrong, and would keep visitors out until then.
    return at is None or abs(now - at) >= MINUTE
