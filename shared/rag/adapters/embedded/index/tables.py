"""The index on disk: entries with their vectors, their words in FTS5, and a log of removals."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import ormsgpack
from numpy.typing import NDArray

from rag.model import Entry, FieldValue, Vector

# Processes that keep the index in memory learn of removals from the log. One that missed more
# than this reads everything again.
REMOVALS_KEPT = 100_000
IDS_PER_STATEMENT = 500

SCHEMA = """
CREATE TABLE IF NOT EXISTS maker (model TEXT NOT NULL, dimension INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS entries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    id TEXT NOT NULL,
    fields BLOB NOT NULL,
    length INTEGER NOT NULL,
    terms TEXT NOT NULL,
    vectors BLOB NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS entry_ids ON entries (namespace, id);
CREATE INDEX IF NOT EXISTS entry_order ON entries (namespace, seq);
CREATE TABLE IF NOT EXISTS removals (seq INTEGER PRIMARY KEY AUTOINCREMENT, entry INTEGER NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS words
    USING fts5 (terms, content = 'entries', content_rowid = 'seq', tokenize = 'ascii',
                columnsize = 0);
CREATE VIRTUAL TABLE IF NOT EXISTS postings USING fts5vocab (words, 'instance');
"""


class Row(NamedTuple):
    """An entry as it comes from the table."""

    seq: int
    id: str
    fields: dict[str, FieldValue]
    length: int
    vectors: NDArray[np.float32]


@lru_cache(maxsize=65_536)
def token(namespace: str, term: str) -> str:
    """A term as FTS5 stores it: of one namespace only, and the same for any alphabet."""
    return blake2b(f"{namespace}\0{term}".encode(), digest_size=8).hexdigest()


def maker(connection: sqlite3.Connection) -> tuple[str, int] | None:
    """The model that made the index, if any has."""
    row: tuple[str, int] | None = connection.execute("SELECT * FROM maker").fetchone()
    return row


def claim(connection: sqlite3.Connection, model: str, dimension: int) -> None:
    """Write down which model makes this index."""
    connection.execute("DELETE FROM maker")
    connection.execute("INSERT INTO maker VALUES (?, ?)", [model, dimension])


def clear(connection: sqlite3.Connection) -> None:
    """Remove everything, but never a sequence number: other processes count on them."""
    connection.execute("INSERT INTO removals (entry) SELECT seq FROM entries")
    connection.execute("INSERT INTO words (words) VALUES ('delete-all')")
    connection.execute("DELETE FROM entries")


def insert(connection: sqlite3.Connection, namespace: str, entry: Entry) -> None:
    """Add an entry whose id is free."""
    terms = " ".join(token(namespace, term) for term in entry.terms)
    row = connection.execute(
        "INSERT INTO entries (namespace, id, fields, length, terms, vectors)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        [
            namespace,
            entry.id,
            ormsgpack.packb(dict(entry.fields)),
            len(entry.terms),
            terms,
            np.stack(entry.vectors).astype("<f4").tobytes(),
        ],
    )
    connection.execute("INSERT INTO words (rowid, terms) VALUES (?, ?)", [row.lastrowid, terms])


def remove(connection: sqlite3.Connection, namespace: str, ids: Sequence[str]) -> None:
    """Remove those of the entries that are there, and log it."""
    for part in _parts(ids):
        rows = connection.execute(
            f"SELECT seq, terms FROM entries WHERE namespace = ? AND id IN ({_marks(part)})",
            [namespace, *part],
        ).fetchall()
        connection.executemany(
            "INSERT INTO words (words, rowid, terms) VALUES ('delete', ?, ?)", rows
        )
        gone = [[seq] for seq, _ in rows]
        connection.executemany("DELETE FROM entries WHERE seq = ?", gone)
        connection.executemany("INSERT INTO removals (entry) VALUES (?)", gone)
    connection.execute(
        "DELETE FROM removals WHERE seq <= (SELECT max(seq) FROM removals) - ?", [REMOVALS_KEPT]
    )


def vectors(
    connection: sqlite3.Connection, namespace: str, ids: Sequence[str], dimension: int
) -> dict[str, tuple[Vector, ...]]:
    """The vectors of those entries that are there."""
    return {
        id: tuple(_matrix(blob, dimension))
        for part in _parts(ids)
        for id, blob in connection.execute(
            f"SELECT id, vectors FROM entries WHERE namespace = ? AND id IN ({_marks(part)})",
            [namespace, *part],
        )
    }


def latest(connection: sqlite3.Connection) -> tuple[int, int]:
    """The last sequence numbers ever given to an entry and to a removal."""
    given = dict(connection.execute("SELECT name, seq FROM sqlite_sequence").fetchall())
    return given.get("entries", 0), given.get("removals", 0)


def entries_after(
    connection: sqlite3.Connection, namespace: str, seq: int, dimension: int
) -> list[Row]:
    """The entries added after that sequence number and still there."""
    rows = connection.execute(
        "SELECT seq, id, fields, length, vectors FROM entries"
        " WHERE namespace = ? AND seq > ? ORDER BY seq",
        [namespace, seq],
    )
    return [
        Row(seq, id, ormsgpack.unpackb(fields), length, _matrix(blob, dimension))
        for seq, id, fields, length, blob in rows
    ]


def removals_after(connection: sqlite3.Connection, seq: int) -> NDArray[np.int64] | None:
    """The entries removed after that point of the log, or None if the log does not reach back."""
    rows = connection.execute(
        "SELECT seq, entry FROM removals WHERE seq > ? ORDER BY seq", [seq]
    ).fetchall()
    if rows and rows[0][0] != seq + 1:
        return None
    return np.array([entry for _, entry in rows], dtype=np.int64)


def term_postings(
    connection: sqlite3.Connection, namespace: str, term: str
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The entries that have the term, in rising order, and how often each has it."""
    # One text for all rows: a row for each would cost more than all the rest.
    (entries,) = connection.execute(
        "SELECT group_concat(doc) FROM postings WHERE term = ?", [token(namespace, term)]
    ).fetchone()
    found = np.fromstring(entries or "", np.int64, sep=",")
    seqs, counts = np.unique(found, return_counts=True)
    return seqs, counts.astype(np.float32)


def _matrix(blob: bytes, dimension: int) -> NDArray[np.float32]:
    return np.frombuffer(blob, "<f4").reshape(-1, dimension)


def _parts(ids: Sequence[str]) -> list[Sequence[str]]:
    return [ids[at : at + IDS_PER_STATEMENT] for at in range(0, len(ids), IDS_PER_STATEMENT)]


def _marks(values: Sequence[str]) -> str:
    return ",".join("?" * len(values))
