"""What every `Items` adapter holds to."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag.errors import ConditionFailed
from rag.ports import Absent, Delete, Equals, Items, Key, Present, Put, Update
from tests.conftest import Clock

A, B = Key("P", "A"), Key("P", "B")


def test_what_is_put_comes_back_whatever_its_types(items: Items) -> None:
    item = {
        "s": "ü🦀\0",
        "i": 2**62,
        "f": 0.1,
        "b": True,
        "n": None,
        "raw": b"\0\xff",
        "l": [1, {"x": []}],
    }
    items.write(Put(A, item))
    assert items.get(A) == item


def test_an_absent_item_is_none(items: Items) -> None:
    assert items.get(A) is None
    assert items.get_many([A, B]) == {}


def test_get_many_finds_those_that_are_there_beyond_any_batch_size(items: Items) -> None:
    keys = [Key("P", f"{n:04d}") for n in range(1100)]
    items.write_many(Put(key, {"n": n}) for n, key in enumerate(keys))
    found = items.get_many([*keys, Key("P", "none"), keys[0]])
    assert found == {key: {"n": n} for n, key in enumerate(keys)}


def test_query_goes_in_order_within_prefix_and_page(items: Items) -> None:
    for sk in ("DOC#b", "DOC#a", "DOC#c", "DOD#z", "DO", "EPOCH"):
        items.write(Put(Key("P", sk), {"sk": sk}))
    items.write(Put(Key("Q", "DOC#x"), {}))
    assert [sk for sk, _ in items.query("P", "DOC#")] == ["DOC#a", "DOC#b", "DOC#c"]
    assert [sk for sk, _ in items.query("P", "DOC#", descending=True, limit=2)] == [
        "DOC#c",
        "DOC#b",
    ]
    assert [sk for sk, _ in items.query("P", "DOC#", after="DOC#a", limit=1)] == ["DOC#b"]
    assert [sk for sk, _ in items.query("P", after="DOC#c")] == ["DOD#z", "EPOCH"]
    descending = items.query("P", "DOC#", after="DOC#c", descending=True)
    assert [sk for sk, _ in descending] == ["DOC#b", "DOC#a"]


@pytest.mark.parametrize(
    ("guard", "there", "holds"),
    [
        (Absent(), False, True), (Absent(), True, False),
        (Present(), False, False), (Present(), True, True),
        (Equals("v", 1), True, True), (Equals("v", 2), True, False),
        (Equals("v", 1), False, False), (Equals("w", None), False, False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["put", "update", "delete"])
def test_a_write_happens_only_when_its_guard_holds(
    items: Items, guard: Absent | Present | Equals, there: bool, holds: bool, kind: str
) -> None:
    if there:
        items.write(Put(A, {"v": 1}))
    before = items.get(A)
    write = {
        "put": Put(A, {"v": 9}, when=guard),
        "update": Update(A, set={"v": 9}, when=guard),
        "delete": Delete(A, when=guard),
    }[kind]
    if holds:
        items.write(write)
        assert items.get(A) == (None if kind == "delete" else {"v": 9})
    else:
        with pytest.raises(ConditionFailed):
            items.write(write)
        assert items.get(A) == before


def test_a_transaction_is_all_or_nothing_and_names_what_failed(items: Items) -> None:
    items.write(Put(A, {"v": 1}))
    with pytest.raises(ConditionFailed) as refused:
        items.write(
            Put(B, {"v": 2}), Put(A, {"v": 2}, when=Absent()), Delete(Key("P", "C"), when=Present())
        )
    assert refused.value.failed == (1, 2)
    assert items.get(A) == {"v": 1}
    assert items.get(B) is None


def test_an_update_sets_adds_and_leaves_the_rest(items: Items) -> None:
    items.write(Update(A, set={"name": "x"}, add={"n": 2}))
    items.write(Update(A, add={"n": 3}))
    items.write(Update(A, set={"name": "y"}))
    assert items.get(A) == {"name": "y", "n": 5}


def test_an_expired_item_is_gone_for_every_reader_and_every_guard(
    items: Items, clock: Clock
) -> None:
    items.write(Put(A, {"v": 1}, expires=int(clock.now) + 10))
    assert items.get(A) == {"v": 1}
    clock.now += 10
    assert items.get(A) is None
    assert items.get_many([A]) == {}
    assert items.query("P") == []
    items.write(Put(A, {"v": 2}, when=Absent()))
    assert items.get(A) == {"v": 2}


def test_an_update_of_an_expired_item_starts_anew(items: Items, clock: Clock) -> None:
    items.write(Put(A, {"n": 7}, expires=int(clock.now) + 10))
    clock.now += 11
    items.write(Update(A, add={"n": 1}))
    assert items.get(A) == {"n": 1}


def test_counters_lose_nothing_when_many_add_at_once(items: Items) -> None:
    in_parallel(lambda: [items.write(Update(A, add={"n": 1})) for _ in range(25)], 4)
    assert items.get(A) == {"n": 100}


def test_of_many_who_create_at_once_one_wins(items: Items) -> None:
    winners = []

    def create() -> None:
        try:
            items.write(Put(A, {"by": threading.get_ident()}, when=Absent()))
            winners.append(threading.get_ident())
        except ConditionFailed:
            pass

    in_parallel(create, 8)
    assert [items.get(A)] == [{"by": winner} for winner in winners]


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["put", "update", "delete"]),
        st.sampled_from(["a", "b", "c"]),
        st.integers(-5, 5),
        st.sampled_from([None, Absent(), Present(), Equals("v", 1)]),
    ),
    max_size=30,
)


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(operations=OPERATIONS)
def test_any_sequence_of_writes_agrees_with_a_dictionary(items: Items, operations: list) -> None:  # type: ignore[type-arg]
    for sk, _ in items.query("M"):
        items.write(Delete(Key("M", sk)))
    model: dict[str, dict[str, int]] = {}
    for kind, sk, value, guard in operations:
        current = model.get(sk)
        holds = {
            type(None): True,
            Absent: current is None,
            Present: current is not None,
            Equals: current is not None and current.get("v") == 1,
        }[type(guard)]
        key = Key("M", sk)
        write = {
            "put": Put(key, {"v": value}, when=guard),
            "update": Update(key, add={"v": value}, when=guard),
            "delete": Delete(key, when=guard),
        }[kind]
        if not holds:
            with pytest.raises(ConditionFailed):
                items.write(write)
            continue
        items.write(write)
        if kind == "delete":
            model.pop(sk, None)
        else:
            model[sk] = {"v": value + (current["v"] if current and kind == "update" else 0)}
    assert dict(items.query("M")) == model


def in_parallel(work: Callable[[], object], times: int) -> None:
    threads = [threading.Thread(target=work) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
