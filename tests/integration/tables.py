"""What the tables hold: what still waits, and what is left once all that can be swept away is."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import ormsgpack

from rag.model import ChunkRef
from rag.ports import Embedder, Key
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings
from rag.runtime.slots import DATABASE
from rag.stores import layout

A_DAY = 24 * 3600
TWO_HOURS = 2 * 3600


def sweep_as_if_tomorrow(data_dir: Path, embedder: Embedder) -> None:
    """Sweep until nothing is left to do, at a time when every note is due."""
    tomorrow = time.time() + A_DAY
    footnote = bootstrap(Settings(data_dir=data_dir), clock=lambda: tomorrow, embedder=embedder)
    while footnote.ingestion.sweep():
        pass


def do_chores_in_two_hours(data_dir: Path, embedder: Embedder) -> None:
    """All that a server does by itself, at a time when no version may be on its way any more."""
    then = time.time() + TWO_HOURS
    footnote = bootstrap(Settings(data_dir=data_dir), clock=lambda: then, embedder=embedder)
    for chore in footnote.chores:
        chore.do()


def nothing_waits(data_dir: Path) -> bool:
    """No message is in any queue, and no worker holds anything."""
    with closing(sqlite3.connect(data_dir / DATABASE)) as database:
        (messages,) = database.execute("SELECT count(*) FROM messages").fetchone()
        held = "SELECT count(*) FROM items WHERE pk = ?"
        (leases,) = database.execute(held, [layout.leases()]).fetchone()
    return not messages and not leases


def entries(data_dir: Path, org: str) -> list[str]:
    """The names of all that the index holds of an org."""
    with closing(sqlite3.connect(data_dir / DATABASE)) as database:
        rows = database.execute("SELECT id FROM entries WHERE namespace = ? ORDER BY id", [org])
        return [id for (id,) in rows]


def only_live_versions_are_left(data_dir: Path) -> None:
    """Every chunk and every entry of the index belongs to a current version, all of which are
    whole; no note waits; the file is sound."""
    with closing(sqlite3.connect(data_dir / DATABASE)) as database:
        live = _live_chunks(database)
        chunks = database.execute("SELECT pk, sk FROM items WHERE pk LIKE 'DOC#%'")
        assert {Key(*row) for row in chunks} == set(live)
        entries = database.execute("SELECT namespace, id FROM entries").fetchall()
        assert sorted(entries) == sorted(live.values())
        assert database.execute("SELECT * FROM items WHERE pk LIKE 'GC#%'").fetchall() == []
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        # Raises if the words differ from the entries that they were taken from.
        database.execute("INSERT INTO words (words, rank) VALUES ('integrity-check', 1)")


def _live_chunks(database: sqlite3.Connection) -> dict[Key, tuple[str, str]]:
    """The key of every chunk that is to be there, and its namespace and id in the index."""
    rows = database.execute("SELECT pk, body FROM items WHERE pk LIKE 'ORG#%' AND sk LIKE 'DOC#%'")
    heads = [(pk.removeprefix("ORG#"), ormsgpack.unpackb(body)) for pk, body in rows]
    refs = [
        (org, ChunkRef(head["id"], head["version"], index))
        for org, head in heads
        for index in range(head["chunkCount"])
    ]
    return {layout.chunk(org, ref): (org, str(ref)) for org, ref in refs}
