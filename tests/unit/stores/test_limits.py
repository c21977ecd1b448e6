"""Limits on every table: exact whoever comes when, true waits, and nothing that grows."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, get_args

import pytest

from infra.local.backends import REGION
from rag import timing
from rag.adapters.aws.clients import client
from rag.adapters.aws.items import DynamoItems
from rag.errors import ConditionFailed, DeadlineExceeded, RateLimited, Unavailable
from rag.limits import PER_MINUTE, Visitor
from rag.model import Tier
from rag.ports import Absent, Item, Items, Key, Put, Update, Write
from rag.stores import layout
from rag.stores.limits import KEPT_SECONDS, Admission, Limits
from tests.conftest import Clock
from tests.dynamodb import DynamoDBServer

ANN = Visitor("address", "192.0.2.1", "anonymous")
N = 10
TIERS: tuple[Tier, ...] = get_args(Tier)


def of_tier(tier: Tier) -> Visitor:
    return Visitor("subject", f"acme {tier}", tier)


def wait_of(limits: Limits, visitor: Visitor = ANN) -> int:
    """How long the visitor, who is not let in, is told to wait."""
    with pytest.raises(RateLimited) as refused:
        limits.admit(visitor, "chat")
    return refused.value.wait


@pytest.fixture
def limits(items: Items, clock: Clock) -> Limits:
    return Limits(items, clock)


@pytest.mark.parametrize("tier", ["anonymous", "lightweight", "full"])
def test_a_tier_may_come_as_often_as_it_says_and_once_more_when_the_wait_is_over(
    limits: Limits, clock: Clock, tier: Tier
) -> None:
    visitor, limit = of_tier(tier), PER_MINUTE[tier]
    assert limit is not None
    for used in range(limit):
        assert limits.admit(visitor, "chat") == Admission(limit, limit - used - 1)
    with pytest.raises(RateLimited) as refused:
        limits.admit(visitor, "chat")
    assert (refused.value.wait, refused.value.limit) == (60, limit)
    assert refused.value.details == {
        "retry_after": 60,
        "limit": f"{limit} requests per minute ({tier} tier)",
    }
    clock.now += 59.999
    assert wait_of(limits, visitor) == 1
    clock.now += 0.001
    assert limits.admit(visitor, "chat") == Admission(limit, limit - 1)


def test_a_part_of_a_millisecond_too_early_is_too_early(limits: Limits, clock: Clock) -> None:
    clock.now += 0.0009
    for _ in range(N):
        limits.admit(ANN, "chat")
    clock.now += 59.9995
    assert wait_of(limits) == 1


def test_premium_is_never_counted(limits: Limits, items: Items) -> None:
    premium = of_tier("premium")
    assert {limits.admit(premium, "chat") for _ in range(300)} == {Admission(None, None)}
    assert items.get(layout.limit("chat", premium)) is None


def test_visitors_tiers_and_what_they_do_are_counted_apart(limits: Limits) -> None:
    for _ in range(N):
        limits.admit(ANN, "chat")
    wait_of(limits)
    limits.admit(ANN, "feedback")
    limits.admit(Visitor("address", "192.0.2.2", "anonymous"), "chat")
    limits.admit(Visitor("subject", "192.0.2.1", "anonymous"), "chat")
    limits.admit(Visitor("address", "192.0.2.1", "lightweight"), "chat")


def test_no_60_seconds_ever_have_more_and_waits_are_true(
    limits: Limits, clock: Clock, dice: random.Random
) -> None:
    admitted: list[float] = []

    def tries() -> int | None:
        """The wait, or None for who is let in."""
        try:
            limits.admit(ANN, "chat")
        except RateLimited as refused:
            return refused.wait
        admitted.append(clock.now)
        return None

    for _ in range(250):
        if dice.random() < 0.7:
            step = dice.choice([0, 0, 0, 0.0004, 0.3, 1, 7, 59.9996, 60, 61.2])
            clock.now += step * dice.random()
        if wait := tries():
            refused_at = clock.now
            if wait > 1:
                clock.now = refused_at + wait - 1.001
                assert tries() is not None, "admitted before its time"
            clock.now = refused_at + wait
            assert tries() is None, "not admitted at its time"
    for first, beyond in zip(admitted, admitted[N:], strict=False):
        assert beyond - first > 59.999_999


@pytest.mark.parametrize(("tier", "callers"), [("anonymous", 60), ("full", 130)])
def test_of_many_who_come_at_once_exactly_as_many_as_may_are_let_in(
    limits: Limits, tier: Tier, callers: int
) -> None:
    visitor, limit = of_tier(tier), PER_MINUTE[tier]
    together = threading.Barrier(callers)

    def come(_: int) -> int | None:
        together.wait()
        try:
            return limits.admit(visitor, "chat").remaining
        except RateLimited:
            return None

    with ThreadPoolExecutor(callers) as threads:
        let_in = [one for one in threads.map(come, range(callers)) if one is not None]
    assert len(let_in) == limit
    assert 0 <= min(let_in) <= max(let_in) < limit


def test_a_clock_that_is_put_back_keeps_nobody_out_for_longer(limits: Limits, clock: Clock) -> None:
    for _ in range(N):
        limits.admit(ANN, "chat")
    clock.now -= 3600
    for _ in range(N):
        limits.admit(ANN, "chat")
    assert wait_of(limits) == 60


# Writers that are held up


class Held:
    """Items whose next writes wait: what happens meanwhile is done before each."""

    def __init__(self, items: Items) -> None:
        self._items = items
        self.meanwhile: list[Callable[[], object]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._items, name)

    def write_lightly(self, *writes: Write) -> None:
        if self.meanwhile:
            self.meanwhile.pop(0)()
        self._items.write_lightly(*writes)


@pytest.fixture
def held(items: Items) -> Held:
    return Held(items)


def passes(clock: Clock, seconds: float) -> Callable[[], None]:
    def later() -> None:
        clock.now += seconds

    return later


def test_a_call_counts_from_when_it_was_let_in_though_its_write_took_long(
    held: Held, clock: Clock
) -> None:
    limits = Limits(held, clock)
    begun = clock.now
    held.meanwhile = [passes(clock, 20), passes(clock, 5)]
    limits.admit(ANN, "chat")
    for _ in range(N - 1):
        limits.admit(ANN, "chat")
    clock.now = begun + 60
    assert wait_of(limits) == 25
    clock.now = begun + 85
    limits.admit(ANN, "chat")


def test_one_who_is_held_up_until_its_slot_is_free_again_takes_another(
    held: Held, limits: Limits, clock: Clock
) -> None:
    late = Limits(held, clock)
    for _ in range(N - 1):
        limits.admit(ANN, "chat")

    def others() -> None:
        clock.now += 61
        for _ in range(N):
            limits.admit(ANN, "chat")

    held.meanwhile = [passes(clock, 2), others]
    assert wait_of(late) == 60


def test_a_slot_that_another_takes_first_is_not_used_twice(
    held: Held, limits: Limits, clock: Clock
) -> None:
    def others() -> None:
        for _ in range(N):
            limits.admit(ANN, "chat")

    held.meanwhile = [others]
    assert wait_of(Limits(held, clock)) == 60


def test_no_slot_is_forgotten_because_somebody_was_held_up(
    held: Held, limits: Limits, clock: Clock, items: Items, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits.admit(ANN, "chat")
    begun = clock.now
    monkeypatch.setattr(random, "choice", max)

    def others() -> None:
        monkeypatch.setattr(random, "choice", min)
        clock.now += 27
        for _ in range(N - 2):
            limits.admit(ANN, "chat")

    def dies() -> None:
        raise Unavailable("gone before it could mend its time")

    held.meanwhile = [others, dies]
    with pytest.raises(Unavailable):
        Limits(held, clock).admit(ANN, "chat")
    # The item now ends as the one that was held up has said.
    clock.now = begun + 60 + 26.5
    seen = items.get(layout.limit("chat", ANN))
    assert seen is not None
    assert len(seen) == N
    for _ in range(2):
        limits.admit(ANN, "chat")
    assert wait_of(limits) == 1
    clock.now += KEPT_SECONDS + 1
    assert items.get(layout.limit("chat", ANN)) is None


def test_who_is_held_up_beyond_the_requests_time_is_not_let_in(held: Held, clock: Clock) -> None:
    held.meanwhile = [passes(clock, 30)]
    with timing.time_limit(27, clock), pytest.raises(DeadlineExceeded):
        Limits(held, clock).admit(ANN, "chat")


# What a limit costs


class Counting:
    """Items in memory that count what is done with them."""

    def __init__(self) -> None:
        self.held: dict[Key, Item] = {}
        self.reads = self.writes = 0

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} is not needed for a limit")

    def get(self, key: Key) -> Item | None:
        self.reads += 1
        found = self.held.get(key)
        return None if found is None else dict(found)

    def write_lightly(self, write: Write) -> None:
        self.writes += 1
        match write:
            case Put(key, item, Absent()):
                assert key not in self.held
                self.held[key] = dict(item)
            case Update(key, changes):
                self.held[key] |= changes
            case _:
                raise AssertionError(write)


def test_a_hundred_thousand_calls_of_one_address_leave_one_small_item(clock: Clock) -> None:
    items = Counting()
    limits = Limits(items, clock)  # type: ignore[arg-type]
    admitted = 0
    for _ in range(100_000):
        clock.now += 0.006
        try:
            limits.admit(ANN, "chat")
            admitted += 1
        except RateLimited:
            pass
    assert admitted == 100_000 * 0.006 / 60 * N
    assert items.writes == admitted, "one write for each who is let in, none for who is not"
    assert items.reads == 100_000
    [item] = items.held.values()
    assert item.keys() == {str(slot) for slot in range(N)}


def test_who_loses_a_race_is_stopped_by_the_clock_alone(clock: Clock) -> None:
    class Lost(Counting):
        def write_lightly(self, write: Write) -> None:
            self.writes += 1
            clock.now += 1
            raise ConditionFailed

    items = Lost()
    with timing.time_limit(27, clock), pytest.raises(DeadlineExceeded):
        Limits(items, clock).admit(ANN, "chat")  # type: ignore[arg-type]
    assert items.writes == 27


@pytest.mark.parametrize("kind", ["error", "drop", "lost", "malformed"])
def test_where_it_is_not_known_whether_a_call_was_counted_it_is_not_let_in(
    dynamodb_server: DynamoDBServer, clock: Clock, kind: str
) -> None:
    dynamodb = client("dynamodb", region=REGION, endpoint=dynamodb_server.url)
    limits = Limits(DynamoItems(dynamodb, dynamodb_server.fleeting, clock), clock)
    for operation in ("PutItem", "UpdateItem"):
        dynamodb_server.misbehave(kind=kind, about=operation)
        with pytest.raises(Unavailable):
            limits.admit(ANN, "chat")
        dynamodb_server.misbehave()
        limits.admit(ANN, "chat")
    counted = 4 if kind == "lost" else 2
    for _ in range(N - counted):
        limits.admit(ANN, "chat")
    assert wait_of(limits) == 60
