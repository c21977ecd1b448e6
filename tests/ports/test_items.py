"""What every `Items` adapter holds to."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag.adapters.embedded.database import Database
from rag.adapters.embedded.items import SqliteItems
from rag.errors import ConditionFailed
from rag.ports import Absent, Delete, Equals, Item, Items, Key, Present, Put, Update, Write
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


def test_numbers_come_back_as_the_numbers_they_were(items: Items) -> None:
    item = {"one": 1, "float": 1.0, "yes": True, "tiny": 5e-324, "large": 1.7976931348623157e308}
    items.write(Put(A, {**item, "below": [item]}))
    found = items.get(A)
    assert found is not None
    assert found.pop("below") == [item]
    assert {name: repr(value) for name, value in found.items()} == {
        name: repr(value) for name, value in item.items()
    }


@pytest.mark.parametrize("field", ["pk", "sk", "expires", "_pk", "__", "_", "name", "#x", "ä ö.ü"])
def test_a_field_may_have_any_name(items: Items, field: str) -> None:
    items.write(Put(A, {field: "x"}))
    items.write(Update(A, set={"other": 2}, when=Equals(field, "x")))
    assert items.get(A) == {field: "x", "other": 2}
    items.write(Update(A, set={field: "y"}))
    assert items.query("P") == [("A", {field: "y", "other": 2})]


def test_items_may_be_larger_than_any_row(items: Items, clock: Clock) -> None:
    large = {"text": "ü🦀" * 200_000, "raw": bytes(900_000), "list": ["x" * 1000] * 600, "v": 1}
    items.write(Put(A, large, when=Absent()))
    items.write_many([Put(B, large, expires=int(clock.now) + 10)])
    assert items.get(A) == large
    assert items.get_many([A, B]) == {A: large, B: large}
    assert items.query("P") == [("A", large), ("B", large)]
    items.write(Update(A, set={"raw": bytes(500_000)}, add={"v": 1}, when=Equals("v", 1)))
    assert items.get(A) == {**large, "raw": bytes(500_000), "v": 2}
    items.write(Put(A, {"v": 3}), Delete(B))
    assert items.query("P") == [("A", {"v": 3})]


def test_a_transaction_may_carry_more_than_a_request(items: Items) -> None:
    puts = [Put(Key("P", f"{n:03d}"), {"text": "x" * 60_000, "n": n}) for n in range(100)]
    items.write(*puts)
    assert [item["n"] for _, item in items.query("P")] == list(range(100))


def test_the_last_word_on_a_key_counts(items: Items) -> None:
    items.write_many(
        [Put(A, {"v": 1}), Put(B, {"v": 1}), Put(A, {"v": 2}), Delete(B), *[Put(A, {"v": 3})] * 60]
    )
    assert items.query("P") == [("A", {"v": 3})]


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
    ("after", "descending", "found"),
    [("C", False, "ab"), ("Dz", False, ""), ("C", True, ""), ("Dz", True, "ba")],
)
def test_a_query_may_start_outside_of_its_prefix(
    items: Items, after: str, descending: bool, found: str
) -> None:
    items.write_many(Put(Key("P", sk), {}) for sk in ("B", "D#a", "D#b", "E"))
    rows = items.query("P", "D#", after=after, descending=descending)
    assert "".join(sk[-1] for sk, _ in rows) == found


def test_a_query_finds_its_number_among_expired_ones_and_over_many_pages(
    items: Items, clock: Clock
) -> None:
    soon = int(clock.now) + 1
    items.write_many(
        Put(Key("P", f"{n:03d}"), {"text": "x" * 30_000}, expires=soon if n % 2 else None)
        for n in range(100)
    )
    clock.now += 1
    assert [sk for sk, _ in items.query("P", limit=3)] == ["000", "002", "004"]
    assert len(items.query("P")) == 50


@pytest.mark.parametrize(
    ("guard", "there", "holds"),
    [
        (Absent(), False, True), (Absent(), True, False),
        (Present(), False, False), (Present(), True, True),
        (Equals("v", 1), True, True), (Equals("v", 2), True, False),
        (Equals("v", 1), False, False), (Equals("w", None), False, False),
        (Equals("w", None), True, True), (Equals("v", None), True, False),
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


@pytest.mark.parametrize("verb", ["write", "write_lightly"])
def test_a_transaction_is_all_or_nothing_and_names_what_failed(items: Items, verb: str) -> None:
    write = getattr(items, verb)
    write(Put(A, {"v": 1}))
    with pytest.raises(ConditionFailed) as refused:
        write(
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


def test_an_update_that_changes_nothing_makes_the_item_or_leaves_it(items: Items) -> None:
    items.write(Update(A))
    items.write(Put(B, {"v": 1}))
    items.write(Update(A, when=Present()), Update(B, when=Equals("v", 1)))
    assert items.query("P") == [("A", {}), ("B", {"v": 1})]


def test_an_expired_item_is_gone_for_every_reader_and_every_guard(
    items: Items, clock: Clock
) -> None:
    items.write(Put(A, {"v": 1}, expires=int(clock.now) + 10))
    assert items.get(A) == {"v": 1}
    clock.now += 10
    assert items.get(A) is None
    assert items.get_many([A]) == {}
    assert items.query("P") == []
    for refused in (
        Put(A, {}, when=Present()),
        Update(A, set={"v": 9}, when=Equals("v", 1)),
        Delete(A, when=Present()),
    ):
        with pytest.raises(ConditionFailed):
            items.write(refused)
    items.write(Put(A, {"v": 2}, when=Absent()))
    assert items.get(A) == {"v": 2}


def test_an_update_of_an_expired_item_starts_anew(items: Items, clock: Clock) -> None:
    items.write(Put(A, {"n": 7}, expires=int(clock.now) + 10))
    clock.now += 11
    items.write(Update(A, add={"n": 1}))
    assert items.get(A) == {"n": 1}


def test_an_expired_item_stands_in_the_way_of_no_transaction(items: Items, clock: Clock) -> None:
    soon = int(clock.now) + 10
    items.write(Put(A, {"n": 7, "old": 1}, expires=soon), Put(B, {"n": 7, "old": 1}, expires=soon))
    clock.now += 11
    items.write(Update(A, add={"n": 1}), Update(B, set={"n": 2}, when=Absent()))
    assert items.query("P") == [("A", {"n": 1}), ("B", {"n": 2})]
    with pytest.raises(ConditionFailed):
        items.write(Update(B, set={"n": 3}, when=Absent()))


def test_an_update_moves_the_end_of_an_item_both_ways_or_leaves_it(
    items: Items, clock: Clock
) -> None:
    begun = int(clock.now)
    items.write(Put(A, {"v": 1}, expires=begun + 10), Put(B, {"v": 1}, expires=begun + 10))
    items.write(Update(A, set={"v": 2}, expires=begun + 20))
    items.write_lightly(Update(B, set={"v": 2}, expires=begun + 5))
    clock.now += 5
    assert items.query("P") == [("A", {"v": 2})]
    items.write(Update(A, add={"v": 1}, when=Equals("v", 2)))
    clock.now += 14
    assert items.get(A) == {"v": 3}
    clock.now += 1
    assert items.get(A) is None


def test_an_update_may_give_an_end_to_what_had_none_and_to_what_it_makes(
    items: Items, clock: Clock
) -> None:
    soon = int(clock.now) + 10
    items.write(Put(A, {"v": 1}))
    items.write(Update(A, expires=soon), Update(B, set={"v": 1}, expires=soon))
    assert items.query("P") == [("A", {"v": 1}), ("B", {"v": 1})]
    clock.now += 10
    assert items.query("P") == []


def test_an_update_that_moves_the_end_revives_nothing(items: Items, clock: Clock) -> None:
    begun = int(clock.now)
    items.write(*(Put(key, {"v": 1, "old": 1}, expires=begun + 10) for key in (A, B)))
    clock.now += 10
    for guard in (Present(), Equals("v", 1)):
        with pytest.raises(ConditionFailed):
            items.write(Update(A, set={"v": 2}, when=guard, expires=begun + 100))
    assert items.query("P") == []
    items.write(Update(A, add={"v": 1}, expires=begun + 20))
    items.write(Update(B, set={"v": 2}, when=Absent(), expires=begun + 20))
    assert items.query("P") == [("A", {"v": 1}), ("B", {"v": 2})]
    clock.now += 10
    assert items.query("P") == []


def test_an_update_that_is_refused_moves_no_end(items: Items, clock: Clock) -> None:
    begun = int(clock.now)
    items.write(Put(A, {"v": 1}, expires=begun + 10))
    for refused in (begun + 5, begun + 20):
        with pytest.raises(ConditionFailed):
            items.write(Update(A, set={"v": 9}, when=Equals("v", 2), expires=refused))
    clock.now += 9
    assert items.get(A) == {"v": 1}
    clock.now += 1
    assert items.get(A) is None


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


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
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


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False),
    st.text(st.characters(codec="utf-8"), max_size=5), st.binary(max_size=5),
    st.lists(st.one_of(st.integers(0, 9), st.floats(0, 1), st.binary(max_size=3)), max_size=3),
    st.dictionaries(st.text(max_size=3), st.none(), max_size=3),
)  # fmt: skip
KEYS = st.builds(Key, st.just("M"), st.sampled_from(["a", "b", "b#1", "b#2", "c"]))
FIELDS = st.sampled_from(["v", "w", "pk", "_x"])
ITEMS = st.dictionaries(FIELDS, VALUES, max_size=3).map(lambda item: {"n": 1, **item})
GUARDS = st.one_of(
    st.none(), st.builds(Absent), st.builds(Present),
    st.builds(Equals, FIELDS, VALUES.filter(lambda value: not isinstance(value, bool | float))),
    st.builds(Equals, st.just("n"), st.integers(0, 3)),
)  # fmt: skip
# In letters: beyond what an update, and what an item, holds in place.
LARGE = st.sampled_from([70_000, 310_000, 400_000])
LARGE_ITEMS = st.builds(lambda item, large: {**item, "large": large}, ITEMS, LARGE)
EXPIRIES = st.one_of(st.none(), st.integers(1_800_000_000, 1_800_000_010))
WRITES = st.one_of(
    st.builds(Put, KEYS, ITEMS, GUARDS, EXPIRIES),
    st.builds(Put, KEYS, LARGE_ITEMS, GUARDS, EXPIRIES),
    st.builds(Update, KEYS, ITEMS, st.just({}), GUARDS, EXPIRIES),
    st.builds(Update, KEYS, LARGE_ITEMS, st.just({}), GUARDS),
    st.builds(Update, KEYS, st.just({"v": 0}), st.just({"n": 2}), GUARDS, EXPIRIES),
    st.builds(Delete, KEYS, GUARDS),
)
BATCHES = st.lists(
    st.one_of(
        st.builds(Put, KEYS, ITEMS | LARGE_ITEMS, st.none(), EXPIRIES), st.builds(Delete, KEYS)
    ),
    max_size=4,
)
TRANSACTIONS = st.lists(WRITES, min_size=1, max_size=4, unique_by=lambda write: write.key)
QUERIES = st.fixed_dictionaries(
    {"prefix": st.sampled_from(["", "b", "b#", "x"])},
    optional={
        "after": st.sampled_from(["a", "b", "b#1", "c", "zz"]),
        "limit": st.integers(1, 4),
        "descending": st.booleans(),
    },
)


STEPS = st.tuples(
    TRANSACTIONS, BATCHES, QUERIES, st.sampled_from([0, 1, 2, 4, 4000]), st.booleans()
)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, max_size=8))
def test_dynamodb_does_what_sqlite_does(
    dynamo_items: Items,
    clock: Clock,
    tmp_path: Path,
    steps: list[tuple[list[Write], list[Put | Delete], dict[str, Any], int, bool]],
) -> None:
    keys = [Key("M", sk) for sk in ("a", "b", "b#1", "b#2", "c")]
    dynamo_items.write_many(Delete(key) for key in keys)
    clock.now = 1_800_000_000.0
    database = Database(tmp_path / f"{secrets.token_hex(4)}.sqlite", durable=False)
    sqlite_items = SqliteItems(database, clock)
    for small, smalls, query, seconds, purges in steps:
        transaction, batch = [_grown(one) for one in small], [_grown(one) for one in smalls]
        assert _outcome(dynamo_items, transaction) == _outcome(sqlite_items, transaction)
        clock.now += seconds
        for items in (dynamo_items, sqlite_items):
            items.write_many(one for one in batch if not isinstance(one, Update))
            if purges:
                items.purge()
        both = (sqlite_items, dynamo_items)
        queried = {_text(items.query("M", **query)) for items in both}
        found = {_text(_read(items, keys)) for items in both}
        assert (len(queried), len(found)) == (1, 1), "not the same"
        assert dynamo_items.get(keys[0]) == sqlite_items.get(keys[0])
    database.close()


def _outcome(items: Items, writes: list[Write]) -> tuple[int, ...]:
    try:
        items.write(*writes)
    except ConditionFailed as refused:
        return refused.failed
    return ()


def _grown(write: Write) -> Write:
    """The write with its large value, which nobody would want to read in a report."""
    match write:
        case Put(_, {"large": int(size), **rest}):
            return replace(write, item={**rest, "large": "x" * size})
        case Update(_, {"large": int(size), **rest}):
            return replace(write, set={**rest, "large": "x" * size})
    return write


def _read(items: Items, keys: list[Key]) -> list[tuple[str, Item]]:
    found = items.get_many(keys)
    return [(key.sk, found[key]) for key in keys if key in found]


def _text(rows: list[tuple[str, Item]]) -> str:
    """As text, which tells 1 from 1.0 and from True."""
    return repr([(sk, dict(sorted(item.items()))) for sk, item in rows])


def in_parallel(work: Callable[[], object], times: int) -> None:
    threads = [threading.Thread(target=work) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
