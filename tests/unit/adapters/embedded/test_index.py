"""What is special about the embedded index: several processes, memory that follows the tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rag.adapters.embedded.database import Database
from rag.adapters.embedded.index import SqliteIndex, tables
from rag.model import Condition, Entry


def entry(id: str, at: int, term: str = "cat") -> Entry:
    vector = np.zeros(4, np.float32)
    vector[at % 4] = 1
    return Entry(id, (vector,), (term,), {"tags": ("t",)})


@pytest.fixture
def pair(tmp_path: Path) -> tuple[SqliteIndex, SqliteIndex]:
    """Two indexes on the same file, as two processes have them."""
    indexes = [SqliteIndex(Database(tmp_path / "i.sqlite")) for _ in range(2)]
    for index in indexes:
        index.claim("m", 4)
    return indexes[0], indexes[1]


def ids(index: SqliteIndex) -> set[str]:
    query = np.ones(4, np.float32) / 2
    near = {hit.id for hit in index.nearest("o", query, (), 1000)}
    assert near == {hit.id for hit in index.matching("o", ["cat"], (), 1000).hits}
    return near


def test_what_one_process_writes_the_other_finds_at_once(
    pair: tuple[SqliteIndex, SqliteIndex],
) -> None:
    one, other = pair
    assert ids(other) == set()
    one.upsert("o", [entry("a", 0), entry("b", 1)])
    assert ids(other) == {"a", "b"}
    other.delete("o", ["a"])
    assert ids(one) == {"b"}
    one.upsert("o", [entry("b", 2), entry("c", 3)])
    assert ids(other) == {"b", "c"}
    one.clear()
    assert ids(other) == set()


def test_a_process_that_missed_more_removals_than_are_logged_starts_anew(
    pair: tuple[SqliteIndex, SqliteIndex], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "REMOVALS_KEPT", 3)
    one, other = pair
    one.upsert("o", [entry(f"e{n}", n) for n in range(20)])
    assert len(ids(other)) == 20
    for n in range(15):
        one.delete("o", [f"e{n}"])
    assert ids(other) == {f"e{n}" for n in range(15, 20)}


def test_the_memory_of_removed_entries_is_given_back(pair: tuple[SqliteIndex, SqliteIndex]) -> None:
    one, other = pair
    one.upsert("o", [entry(f"e{n}", n) for n in range(1000)])
    assert len(ids(other)) == 1000
    one.delete("o", [f"e{n}" for n in range(900)])
    assert ids(other) == {f"e{n}" for n in range(900, 1000)}
    assert len(other._shards["o"]._ids) == 100
    one.upsert("o", [entry("new", 1)])
    assert ids(other) == {f"e{n}" for n in range(900, 1000)} | {"new"}


def test_a_namespace_is_read_only_when_it_is_asked_for(
    pair: tuple[SqliteIndex, SqliteIndex],
) -> None:
    one, other = pair
    one.upsert("o", [entry("a", 0)])
    one.upsert("p", [entry("b", 0)])
    assert ids(other) == {"a"}
    assert set(other._shards) == {"o"}


def test_what_a_filter_leaves_out_changes_no_bit_of_what_it_lets_through(tmp_path: Path) -> None:
    chance = np.random.default_rng(0)
    vectors = chance.standard_normal((60, 384)).astype(np.float32)
    alone, beside = (SqliteIndex(Database(tmp_path / name)) for name in ("alone", "beside"))
    for index in (alone, beside):
        index.claim("m", 384)
    for number, vector in enumerate(vectors):
        seen = Entry(f"e{number}", (vector,), ("cat",), {"data_source": "seen"})
        hidden = Entry(f"h{number}", (-vector,) * (number % 3), ("cat",), {"data_source": "hidden"})
        alone.upsert("o", [seen])
        beside.upsert("o", [seen, hidden] if number % 3 else [seen])
        where = (Condition("data_source", frozenset({"seen"})),)
        for limit in (2, 100):
            expected = alone.nearest("o", vectors[0], where, limit)
            assert beside.nearest("o", vectors[0], where, limit) == expected
            words = alone.matching("o", ["cat"], where, limit)
            assert beside.matching("o", ["cat"], where, limit) == words
