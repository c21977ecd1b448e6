from __future__ import annotations

from rag.ports import Items
from rag.stores.progress import Progress
from tests.conftest import Clock


def test_work_goes_on_where_it_was_left(items: Items, clock: Clock) -> None:
    work = Progress(items, clock, "fields")
    assert work.all() == {}
    work.reached("acme", "doc_7")
    work.reached("ünï", None)
    assert Progress(items, clock, "fields").all() == {"acme": "doc_7", "ünï": None}
    assert Progress(items, clock, "another").all() == {}


def test_work_is_due_a_while_after_it_is_known_of(items: Items, clock: Clock) -> None:
    work = Progress(items, clock, "fields")
    assert not work.is_due(900)
    clock.now += 899
    assert not work.is_due(900)
    clock.now += 1
    assert work.is_due(900)
    assert not Progress(items, clock, "another").is_due(900)


def test_what_is_over_stays_over_and_leaves_nothing_else(items: Items, clock: Clock) -> None:
    work = Progress(items, clock, "fields")
    work.is_due(0)
    work.reached("acme", None)
    assert work.is_due(0)
    work.end()
    assert not Progress(items, clock, "fields").is_due(0)
    assert work.all() == {}
