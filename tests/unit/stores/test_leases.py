"""Leases on every table: one worker at a time, and none forgotten when it dies."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from rag.ports import Items
from rag.stores.leases import SECONDS, WAITING_SECONDS, Held, Lease, Leases
from tests.conftest import Clock

MESSAGE = {"job": {"org": "acme", "id": "job_1", "document": 3}}


@pytest.fixture
def leases(items: Items, clock: Clock) -> Leases:
    return Leases(items, clock)


def taken(leases: Leases) -> Lease:
    lease = leases.take("a", "acme", MESSAGE)
    assert isinstance(lease, Lease)
    return lease


def test_while_one_works_others_are_told_how_long(leases: Leases, clock: Clock) -> None:
    lease = taken(leases)
    assert isinstance(leases.take("b", "acme", MESSAGE), Lease)
    assert leases.take("a", "acme", MESSAGE) == Held(SECONDS + 1)
    clock.now += SECONDS - 5
    assert leases.take("a", "acme", MESSAGE) == Held(6)
    leases.renew(lease)
    assert leases.take("a", "acme", MESSAGE) == Held(SECONDS + 1)
    assert list(leases.expired()) == []
    leases.release(lease)
    assert taken(leases).deaths == 0


def test_whoever_dies_is_followed_by_another_and_cannot_take_it_back(
    leases: Leases, clock: Clock
) -> None:
    dead = taken(leases)
    clock.now += SECONDS + 1
    lease = taken(leases)
    assert lease.deaths == 1
    leases.renew(dead)
    leases.release(dead)
    assert isinstance(leases.take("a", "acme", MESSAGE), Held)
    leases.release(lease)
    assert list(leases.expired()) == []


def test_what_a_dead_worker_had_is_queued_again_and_its_deaths_are_counted(
    leases: Leases, clock: Clock
) -> None:
    for deaths in range(3):
        assert taken(leases).deaths == deaths
        clock.now += SECONDS + 1
        [expired] = leases.expired()
        assert (expired.org, expired.message) == ("acme", MESSAGE)
        leases.waits(expired)
        assert list(leases.expired()) == []


def test_a_message_that_was_queued_again_and_lost_comes_up_once_more(
    leases: Leases, clock: Clock
) -> None:
    taken(leases)
    clock.now += SECONDS + 1
    [expired] = leases.expired()
    leases.waits(expired)
    clock.now += WAITING_SECONDS + 1
    [again] = leases.expired()
    leases.waits(again)
    assert taken(leases).deaths == 1


def test_a_sweep_does_not_free_what_another_has_taken_meanwhile(
    leases: Leases, clock: Clock
) -> None:
    taken(leases)
    clock.now += SECONDS + 1
    [expired] = leases.expired()
    taken(leases)
    leases.waits(expired)
    assert isinstance(leases.take("a", "acme", MESSAGE), Held)


def test_of_many_who_take_it_at_once_one_has_it(leases: Leases, clock: Clock) -> None:
    for deaths in range(3):
        with ThreadPoolExecutor(8) as hands:
            takes = list(hands.map(lambda _: leases.take("a", "acme", MESSAGE), range(16)))
        [lease] = [one for one in takes if isinstance(one, Lease)]
        assert lease.deaths == deaths
        assert {type(one) for one in takes if one is not lease} == {Held}
        clock.now += SECONDS + 1
