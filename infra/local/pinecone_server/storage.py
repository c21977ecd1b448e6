"""Records on disk, for a server that is to find them again."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from infra.local.pinecone_server.namespace import Record, Write

SCHEMA = """
CREATE TABLE IF NOT EXISTS records (
    namespace TEXT NOT NULL, id TEXT NOT NULL, record TEXT NOT NULL, PRIMARY KEY (namespace, id)
) WITHOUT ROWID
"""


class Storage:
    """Keeps every write that was answered; without a path, nothing."""

    def __init__(self, path: Path | None) -> None:
        self._connection = sqlite3.connect(path or ":memory:", check_same_thread=False)
        self._connection.execute(SCHEMA)

    def all(self) -> Iterator[tuple[str, Record]]:
        """Every record with its namespace."""
        rows = self._connection.execute("SELECT namespace, record FROM records")
        return ((namespace, json.loads(record)) for namespace, record in rows)

    def keep(self, namespace: str, write: Write) -> None:
        """Do to the disk what the write does to the namespace."""
        with self._connection as connection:
            if write.remove_all:
                connection.execute("DELETE FROM records WHERE namespace = ?", [namespace])
            connection.executemany(
                "DELETE FROM records WHERE namespace = ? AND id = ?",
                [(namespace, id) for id in write.remove],
            )
            connection.executemany(
                "INSERT OR REPLACE INTO records VALUES (?, ?, ?)",
                [(namespace, one["id"], json.dumps(one)) for one in write.put],
            )

    def close(self) -> None:
        self._connection.close()
