"""`Items` on SQLite: one table, the item packed beside its two keys."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import assert_never

import ormsgpack

from rag.adapters.embedded.database import Database
from rag.errors import ConditionFailed
from rag.ports import Absent, Delete, Equals, Guard, Item, Key, Present, Put, Update, Write

# SQLite's oldest limit on variables in a statement is 999: two for each key.
KEYS_PER_READ = 400

SCHEMA = """
CREATE TABLE IF NOT EXISTS items (
    pk TEXT, sk TEXT, body BLOB NOT NULL, expires INTEGER, PRIMARY KEY (pk, sk)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS expiring ON items (expires) WHERE expires IS NOT NULL;
"""


class SqliteItems:
    """Items in a table of a database. Expired ones are gone for every reader."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock
        with database.connection() as connection:
            connection.executescript(SCHEMA)

    def get(self, key: Key) -> Item | None:
        with self._database.connection() as connection:
            return self._read(connection, key)

    def get_many(self, keys: Iterable[Key]) -> dict[Key, Item]:
        wanted = list(dict.fromkeys(keys))
        found: dict[Key, Item] = {}
        for first in range(0, len(wanted), KEYS_PER_READ):
            batch = wanted[first : first + KEYS_PER_READ]
            marks = ",".join(["(?,?)"] * len(batch))
            # CROSS JOIN holds SQLite to looking each key up; IN would scan the whole table.
            with self._database.connection() as connection:
                rows = connection.execute(
                    f"WITH wanted (p, s) AS (VALUES {marks})"
                    " SELECT pk, sk, body FROM wanted CROSS JOIN items ON pk = p AND sk = s"
                    " WHERE expires IS NULL OR expires > ?",
                    [*(part for key in batch for part in (key.pk, key.sk)), self._clock()],
                ).fetchall()
            found.update((Key(pk, sk), ormsgpack.unpackb(body)) for pk, sk, body in rows)
        return found

    def query(
        self,
        pk: str,
        prefix: str = "",
        *,
        after: str = "",
        limit: int | None = None,
        descending: bool = False,
    ) -> list[tuple[str, Item]]:
        clauses, values = ["pk = ?"], [pk]
        if prefix:
            clauses.append("sk >= ? AND sk < ?")
            values += [prefix, prefix + "\U0010ffff"]
        if after:
            clauses.append("sk < ?" if descending else "sk > ?")
            values.append(after)
        order = "DESC" if descending else "ASC"
        with self._database.connection() as connection:
            rows = connection.execute(
                f"SELECT sk, body FROM items WHERE {' AND '.join(clauses)}"
                f" AND (expires IS NULL OR expires > ?) ORDER BY sk {order} LIMIT ?",
                [*values, self._clock(), -1 if limit is None else limit],
            ).fetchall()
        return [(sk, ormsgpack.unpackb(body)) for sk, body in rows]

    def write(self, *writes: Write) -> None:
        self._write(writes, durable=True)

    def write_lightly(self, *writes: Write) -> None:
        self._write(writes, durable=False)

    def _write(self, writes: Sequence[Write], *, durable: bool) -> None:
        with self._database.transaction(durable=durable) as connection:
            failed = tuple(
                position
                for position, write in enumerate(writes)
                if not _holds(write.when, self._read(connection, write.key))
            )
            if failed:
                raise ConditionFailed(failed)
            for write in writes:
                self._apply(connection, write)

    def write_many(self, writes: Iterable[Put | Delete]) -> None:
        with self._database.transaction() as connection:
            for write in writes:
                self._apply(connection, write)

    def purge(self) -> int:
        """Remove what has expired; nobody could read it any more."""
        with self._database.transaction() as connection:
            gone = connection.execute("DELETE FROM items WHERE expires <= ?", [self._clock()])
            return gone.rowcount

    def _read(self, connection: sqlite3.Connection, key: Key) -> Item | None:
        row = connection.execute(
            "SELECT body FROM items WHERE pk = ? AND sk = ? AND (expires IS NULL OR expires > ?)",
            [key.pk, key.sk, self._clock()],
        ).fetchone()
        return None if row is None else ormsgpack.unpackb(row[0])

    def _apply(self, connection: sqlite3.Connection, write: Write) -> None:
        match write:
            case Put(key, item, _, expires):
                self._store(connection, key, item, expires)
            case Update(key, changes, add, _, expires):
                item = self._read(connection, key) or {}
                item.update(changes)
                for name, amount in add.items():
                    item[name] = item.get(name, 0) + amount
                body = ormsgpack.packb(item)
                changed = connection.execute(
                    "UPDATE items SET body = ?, expires = coalesce(?, expires)"
                    " WHERE pk = ? AND sk = ? AND (expires IS NULL OR expires > ?)",
                    [body, expires, key.pk, key.sk, self._clock()],
                )
                if not changed.rowcount:
                    self._store(connection, key, item, expires)
            case Delete(key):
                connection.execute("DELETE FROM items WHERE pk = ? AND sk = ?", [key.pk, key.sk])
            case _:
                assert_never(write)

    def _store(
        self, connection: sqlite3.Connection, key: Key, item: Item, expires: int | None
    ) -> None:
        connection.execute(
            "INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?)",
            [key.pk, key.sk, ormsgpack.packb(item), expires],
        )


def _holds(guard: Guard | None, item: Item | None) -> bool:
    match guard:
        case None:
            return True
        case Absent():
            return item is None
        case Present():
            return item is not None
        case Equals(name, value):
            return item is not None and item.get(name) == value
        case _:
            assert_never(guard)
