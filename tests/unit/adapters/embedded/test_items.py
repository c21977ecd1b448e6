"""What is special about items in SQLite."""

from __future__ import annotations

from rag.adapters.embedded.items import SqliteItems
from rag.ports import Key, Put
from tests.conftest import Clock


def test_no_read_scans_the_table(items: SqliteItems) -> None:
    statements: list[str] = []
    with items._database.connection() as connection:
        connection.set_trace_callback(statements.append)
    items.get(Key("P", "A"))
    items.get_many([Key("P", "A"), Key("Q", "B")])
    items.query("P", "DOC#", after="DOC#a", limit=3)
    with items._database.connection() as connection:
        connection.set_trace_callback(None)
        for statement in statements:
            for *_, step in connection.execute(f"EXPLAIN QUERY PLAN {statement}"):
                assert "SCAN items" not in step
    assert len(statements) == 3


def test_purging_removes_what_has_expired_and_nothing_else(
    items: SqliteItems, clock: Clock
) -> None:
    items.write(Put(Key("P", "A"), {}, expires=int(clock.now) + 5), Put(Key("P", "B"), {}))
    assert items.purge() == 0
    clock.now += 5
    assert items.purge() == 1
    assert [sk for sk, _ in items.query("P")] == ["B"]
