"""What each org has done and used, day by day, as long as a chart may ask for it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from rag import usage
from rag.clock import Clock, iso
from rag.errors import Unavailable
from rag.ports import Items, Update
from rag.stores import layout
from rag.timing import time_limit

DAY = 24 * 3600
KEPT_DAYS = 100
KINDS = ("questions", "abstained", "searches", "ingested", "failed", "tokens")
# Longer is no count worth waiting for, or asking again.
ADD_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Day:
    """What an org did on one day of UTC."""

    date: str
    questions: int
    abstained: int
    searches: int
    ingested: int
    failed: int
    tokens: int


class Usages:
    """An item per org and day, to which everyone adds."""

    def __init__(self, items: Items, clock: Clock) -> None:
        self._items = items
        self._clock = clock

    def add(self, org: str, used: Mapping[str, int]) -> None:
        """Add to the org's day what was counted. Where that is not possible it is lost: nothing
        that was done may fail by it."""
        amounts = {**used, "tokens": usage.tokens(used)}
        some = {kind: amounts[kind] for kind in KINDS if amounts.get(kind)}
        if not some:
            return
        today = _today(self._clock)
        # The same end for all who add: no day is ever gone while it is added to.
        expires = (today + KEPT_DAYS) * DAY
        with suppress(Unavailable), time_limit(ADD_SECONDS):
            key = layout.usage(org, _date(today))
            self._items.write_lightly(Update(key, add=some, expires=expires))

    def latest(self, org: str, days: int) -> list[Day]:
        """So many days up to today, oldest first, and also those on which nothing was done."""
        today = _today(self._clock)
        dates = [_date(day) for day in range(today - days, today + 1)]
        known = dict(self._items.query(layout.usages(org), after=dates[0]))
        return [
            Day(date, **{kind: int(known.get(date, {}).get(kind, 0)) for kind in KINDS})
            for date in dates[1:]
        ]


def _today(clock: Clock) -> int:
    return int(clock()) // DAY


def _date(day: int) -> str:
    return iso(day * DAY)[:10]
