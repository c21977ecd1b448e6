"""What an org does day by day, on every adapter of Items."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from rag.errors import Unavailable
from rag.ports import Items
from rag.stores import layout
from rag.stores.usages import DAY, KEPT_DAYS, Day, Usages
from tests.conftest import Clock

TODAY = "2027-01-15"  # the clock's


@pytest.fixture
def usages(items: Items, clock: Clock) -> Usages:
    return Usages(items, clock)


def day(date: str = TODAY, **amounts: int) -> Day:
    kinds = ("questions", "abstained", "searches", "ingested", "failed", "tokens")
    return Day(date, **{**dict.fromkeys(kinds, 0), **amounts})


def test_what_is_added_adds_up_and_all_tokens_are_one_number(usages: Usages) -> None:
    usages.add("acme", {"questions": 1, "prompt_tokens": 40, "completion_tokens": 8})
    usages.add("acme", {"questions": 1, "abstained": 1, "embedding_tokens": 5, "unsupported": 3})
    usages.add("acme", {"searches": 2, "ingested": 3, "failed": 1})
    [told] = usages.latest("acme", 1)
    assert told == day(questions=2, abstained=1, searches=2, ingested=3, failed=1, tokens=53)


def test_every_org_has_its_own(usages: Usages) -> None:
    usages.add("acme", {"searches": 1})
    usages.add("acme.de", {"searches": 5})
    assert usages.latest("acme", 1) == [day(searches=1)]
    assert usages.latest("zeta", 1) == [day()]


def test_a_day_ends_at_midnight_of_utc(usages: Usages, clock: Clock) -> None:
    clock.now = clock.now // DAY * DAY + DAY - 0.5
    usages.add("acme", {"searches": 1})
    clock.now += 1
    usages.add("acme", {"searches": 2})
    assert usages.latest("acme", 2) == [day(searches=1), day("2027-01-16", searches=2)]
    assert usages.latest("acme", 1) == [day("2027-01-16", searches=2)]


def test_days_without_anything_are_told_too_oldest_first(usages: Usages, clock: Clock) -> None:
    usages.add("acme", {"ingested": 1})
    clock.now += 2 * DAY
    told = usages.latest("acme", 4)
    assert told == [day("2027-01-14"), day(ingested=1), day("2027-01-16"), day("2027-01-17")]


def test_a_day_is_kept_longer_than_anybody_may_ask_for(usages: Usages, clock: Clock) -> None:
    usages.add("acme", {"searches": 1})
    clock.now += 89 * DAY
    assert usages.latest("acme", 90)[0] == day(searches=1)
    clock.now += (KEPT_DAYS - 89) * DAY
    assert usages.latest("acme", KEPT_DAYS + 1)[0] == day()


def test_where_nothing_was_done_nothing_is_written(usages: Usages, items: Items) -> None:
    for used in ({}, {"failed": 0}, {"unsupported": 2}):
        usages.add("acme", used)
    assert items.query(layout.usages("acme")) == []


def test_all_who_add_at_once_are_counted(usages: Usages) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: usages.add("acme", {"searches": 1}), range(40)))
    assert usages.latest("acme", 1) == [day(searches=40)]


class Away:
    """A table that does not answer."""

    def __getattr__(self, name: str) -> Any:
        raise Unavailable("The storage does not answer.")


def test_what_cannot_be_added_is_lost_and_nothing_fails_by_it(clock: Clock) -> None:
    away: Any = Away()
    Usages(away, clock).add("acme", {"searches": 1})
    with pytest.raises(Unavailable):
        Usages(away, clock).latest("acme", 1)
