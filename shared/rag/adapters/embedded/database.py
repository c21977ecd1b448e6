"""One SQLite file, shared with other threads and processes through its log."""

from __future__ import annotations

import sqlite3
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from rag.errors import Unavailable

# Each writer waits for the others rather than failing: writes are short.
BUSY_TIMEOUT_MS = 10_000
FIRST_OPENINGS = 50


class Database:
    """A pool of connections to one SQLite file in WAL mode.

    `durable` waits for the disk at every commit, so that what was answered is there after a power
    cut; without it a commit survives the end of the process only, which is enough for a cache.
    """

    def __init__(self, path: Path, *, durable: bool = True) -> None:
        # What is in it is nobody else's: not even of other users of the machine.
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path = path
        self._durable = durable
        self._idle: list[sqlite3.Connection] = []
        # Whoever forgets a database need not close it.
        weakref.finalize(self, _close, self._idle)

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """A connection for this caller alone; as many are opened as are used at once."""
        try:
            connection = self._idle.pop() if self._idle else self._open()
            try:
                yield connection
            finally:
                self._idle.append(connection)
        except sqlite3.OperationalError as error:
            # Locked, full, read-only, broken: nothing that the caller could have done better.
            raise Unavailable("The database does not answer.") from error

    @contextmanager
    def transaction(
        self, mode: Literal["IMMEDIATE", "DEFERRED"] = "IMMEDIATE", *, durable: bool = True
    ) -> Iterator[sqlite3.Connection]:
        """All statements inside, or none. DEFERRED is one consistent view for reading.

        One that is not `durable` becomes so with the next that is: all go into one log."""
        with self.connection() as connection:
            # Each time: whoever had the connection before may have chosen otherwise.
            level = "FULL" if durable and self._durable else "NORMAL"
            connection.execute(f"PRAGMA synchronous = {level}")
            connection.execute(f"BEGIN {mode}")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                # After some failures, such as a full disk, SQLite has rolled back already.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the connections that are not in use."""
        _close(self._idle)

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path, isolation_level=None, check_same_thread=False, cached_statements=256
        )
        connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
        _keep_a_log(connection)
        connection.execute("PRAGMA mmap_size = 268435456")
        return connection


def _keep_a_log(connection: sqlite3.Connection) -> None:
    """Turn WAL on. Two who do so at once on a new file do not wait for each other."""
    for attempt in range(FIRST_OPENINGS):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if attempt == FIRST_OPENINGS - 1:
                raise
            time.sleep(0.02)


def _close(connections: list[sqlite3.Connection]) -> None:
    while connections:
        connections.pop().close()
