from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from rag.errors import Conflict
from rag.ports import Items
from rag.stores.repeats import KEPT_SECONDS, Repeats
from tests.conftest import Clock


@pytest.fixture
def repeats(items: Items, clock: Clock) -> Repeats:
    return Repeats(items, clock)


def test_the_first_one_says_what_all_of_them_make(repeats: Repeats) -> None:
    assert repeats.known("acme", "ann", "k", "d") is None
    assert repeats.first("acme", "ann", "k", "d", "job_1") == "job_1"
    assert repeats.first("acme", "ann", "k", "d", "job_2") == "job_1"
    assert repeats.known("acme", "ann", "k", "d") == "job_1"


def test_another_request_under_the_same_key_is_a_conflict(repeats: Repeats) -> None:
    repeats.first("acme", "ann", "k", "d", "job_1")
    with pytest.raises(Conflict):
        repeats.known("acme", "ann", "k", "other")
    with pytest.raises(Conflict):
        repeats.first("acme", "ann", "k", "other", "job_2")


@pytest.mark.parametrize(
    ("org", "sender", "key"),
    [
        ("other", "ann", "k"),
        ("acme", "bob", "k"),
        ("acme", "ann", "K"),
        ("acme", "ann", "k "),
        ("acme", "an", "nk"),
        ("acme", 'ann", "k', ""),
    ],
)
def test_keys_of_others_are_others(repeats: Repeats, org: str, sender: str, key: str) -> None:
    repeats.first("acme", "ann", "k", "d", "job_1")
    assert repeats.known(org, sender, key, "d") is None
    assert repeats.first(org, sender, key, "other", "job_2") == "job_2"


@pytest.mark.parametrize("key", ["x" * 256, "ü" * 256, "#/\\\0\n", " "])
def test_any_text_is_a_key(repeats: Repeats, key: str) -> None:
    repeats.first("acme", "ü" * 128, key, "d", "job_1")
    assert repeats.known("acme", "ü" * 128, key, "d") == "job_1"


def test_a_key_is_forgotten_after_a_day(repeats: Repeats, clock: Clock) -> None:
    repeats.first("acme", "ann", "k", "d", "job_1")
    clock.now += KEPT_SECONDS - 1
    assert repeats.known("acme", "ann", "k", "d") == "job_1"
    clock.now += 1
    assert repeats.known("acme", "ann", "k", "d") is None
    assert repeats.first("acme", "ann", "k", "other", "job_2") == "job_2"


def test_of_many_at_once_one_is_the_first(repeats: Repeats) -> None:
    with ThreadPoolExecutor(8) as hands:
        made = list(
            hands.map(lambda n: repeats.first("acme", "ann", "k", "d", f"job_{n}"), range(24))
        )
    assert len(set(made)) == 1
