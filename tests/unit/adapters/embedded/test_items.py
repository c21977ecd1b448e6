"""What is special about items in SQLite."""

from __future__ import annotations

from rag.adapters.embedded.items import SqliteItems
from rag.ports import Key, Put
from tests.conftest import Clock
from tests.unit.adapters.embedded.disk import waits_for_the_disk


def test_no_read_scans_the_table(sqlite_items: SqliteItems) -> None:
    statements: list[str] = []
    with sqlite_items._database.connection() as connection:
        connection.set_trace_callback(statements.append)
    sqlite_items.get(Key("P", "A"))
    sqlite_items.get_many([Key("P", "A"), Key("Q", "B")])
    sqlite_items.query("P", "DOC#", after="DOC#a", limit=3)
    with sqlite_items._database.connection() as connection:
        connection.set_trace_callback(None)
        for statement in statements:
            for *_, step in connection.execute(f"EXPLAIN QUERY PLAN {statement}"):
                assert "SCAN items" not in step
    assert len(statements) == 3


def test_only_a_light_write_does_not_wait_for_the_disk(sqlite_items: SqliteItems) -> None:
    put = Put(Key("P", "A"), {})
    assert waits_for_the_disk(sqlite_items._database, lambda: sqlite_items.write(put))
    assert not waits_for_the_disk(sqlite_items._database, lambda: sqlite_items.write_lightly(put))
    assert waits_for_the_disk(sqlite_items._database, lambda: sqlite_items.write(put))
    assert waits_for_the_disk(sqlite_items._database, lambda: sqlite_items.write_many([put]))


def test_purging_removes_what_has_expired_and_nothing_else(
    sqlite_items: SqliteItems, clock: Clock
) -> None:
    sqlite_items.write(Put(Key("P", "A"), {}, expires=int(clock.now) + 5), Put(Key("P", "B"), {}))
    assert sqlite_items.purge() == 0
    clock.now += 5
    assert sqlite_items.purge() == 1
    assert [sk for sk, _ in sqlite_items.query("P")] == ["B"]
