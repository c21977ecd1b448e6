"""`Queue` in a table of SQLite: a message is there until it is done, whoever dies meanwhile."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from rag.adapters.embedded.database import Database
from rag.clock import Clock
from rag.ports import Delivery

MOST_MESSAGES = 10

TABLES = """
CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    queue TEXT NOT NULL,
    due REAL NOT NULL,
    body TEXT NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0,
    receipt TEXT,
    group_id TEXT NOT NULL DEFAULT ''
);
CREATE TABLE IF NOT EXISTS turns (
    turn INTEGER PRIMARY KEY,
    queue TEXT NOT NULL,
    group_id TEXT NOT NULL,
    UNIQUE (queue, group_id)
);
"""

ADD_GROUPS = "ALTER TABLE messages ADD COLUMN group_id TEXT NOT NULL DEFAULT ''"

INDEXES = """
CREATE INDEX IF NOT EXISTS due_messages ON messages (queue, due);
CREATE INDEX IF NOT EXISTS grouped_messages ON messages (queue, group_id, due);
CREATE INDEX IF NOT EXISTS tried_messages ON messages (queue, attempt);
"""

# The groups that have something due, the one served longest ago or never first. From each group it
# leaps to the next one in the index, over all of its messages.
GROUPS_IN_TURN = """
WITH RECURSIVE waiting (name) AS (
    SELECT min(group_id) FROM messages WHERE queue = :queue
    UNION ALL
    SELECT (SELECT min(group_id) FROM messages WHERE queue = :queue AND group_id > name)
    FROM waiting WHERE name IS NOT NULL
),
first (name, due) AS (
    SELECT name, (SELECT min(due) FROM messages WHERE queue = :queue AND group_id = name)
    FROM waiting
)
SELECT name FROM first LEFT JOIN turns ON queue = :queue AND group_id = name
WHERE due <= :now ORDER BY turn, due LIMIT :limit
"""


class SqliteQueue:
    """One queue of a database, by its name. Only what is sent waits for the disk: where a power cut
    undoes the rest, a message comes once more.

    After `attempts` deliveries a message moves to the queue named `dead`, which is read like any.
    """

    def __init__(
        self, database: Database, clock: Clock, name: str, *, attempts: int = 5, dead: str = ""
    ) -> None:
        self._database = database
        self._clock = clock
        self._name = name
        self._attempts = attempts
        self._dead = dead
        _prepare(database)

    def send(self, *bodies: Mapping[str, Any], group: str = "", delay: int = 0) -> None:
        due = self._clock() + delay
        rows = [(self._name, due, json.dumps(body, ensure_ascii=False), group) for body in bodies]
        with self._database.transaction() as connection:
            connection.executemany(
                "INSERT INTO messages (queue, due, body, group_id) VALUES (?, ?, ?, ?)", rows
            )

    def receive(self, limit: int = MOST_MESSAGES, *, seconds: int) -> list[Delivery]:
        now = self._clock()
        # Most looks find nothing, and a look alone keeps no writer waiting.
        with self._database.connection() as connection:
            due = connection.execute(
                "SELECT 1 FROM messages WHERE queue = ? AND due <= ? LIMIT 1", [self._name, now]
            ).fetchone()
        if not due:
            return []
        with self._database.transaction(durable=False) as connection:
            if self._dead:
                # By that index: few have been tried so often, where all may be due.
                connection.execute(
                    "UPDATE messages INDEXED BY tried_messages"
                    " SET queue = ?, attempt = 0, receipt = NULL"
                    " WHERE queue = ? AND due <= ? AND attempt >= ?",
                    [self._dead, self._name, now, self._attempts],
                )
            rows = self._in_turn(connection, now, min(limit, MOST_MESSAGES))
            taken = [
                Delivery(str(id), json.loads(body), attempt, secrets.token_hex(8))
                for id, body, attempt, _ in rows
            ]
            connection.executemany(
                "UPDATE messages SET due = ?, attempt = ?, receipt = ? WHERE id = ?",
                [(now + seconds, one.attempt, one.receipt, int(one.id)) for one in taken],
            )
            # Each is given the number after all others, and so the last place.
            connection.executemany(
                "REPLACE INTO turns (queue, group_id) VALUES (?, ?)",
                [(self._name, group) for _, _, _, group in rows],
            )
        return taken

    def done(self, delivery: Delivery) -> None:
        with self._database.transaction(durable=False) as connection:
            connection.execute(
                "DELETE FROM messages WHERE id = ? AND receipt = ?",
                [int(delivery.id), delivery.receipt],
            )

    def again(self, delivery: Delivery, *, delay: int = 0) -> None:
        with self._database.transaction(durable=False) as connection:
            connection.execute(
                "UPDATE messages SET due = ? WHERE id = ? AND receipt = ?",
                [self._clock() + delay, int(delivery.id), delivery.receipt],
            )

    def _in_turn(
        self, connection: sqlite3.Connection, now: float, limit: int
    ) -> list[tuple[int, str, int, str]]:
        """What is due: one message of each group, then another of each, and so on."""
        groups = connection.execute(
            GROUPS_IN_TURN, {"queue": self._name, "now": now, "limit": limit}
        ).fetchall()
        lines = [
            connection.execute(
                "SELECT id, body, attempt + 1, group_id FROM messages"
                " WHERE queue = ? AND group_id = ? AND due <= ? ORDER BY due, id LIMIT ?",
                [self._name, group, now, limit],
            ).fetchall()
            for (group,) in groups
        ]
        return [row for one_of_each in zip_longest(*lines) for row in one_of_each if row][:limit]


def _prepare(database: Database) -> None:
    """Make the tables, or bring those of a former version up to date with all they hold."""
    with database.connection() as connection:
        connection.executescript(TABLES)
        grouped = _is_grouped(connection)
    if not grouped:
        with database.transaction() as connection:
            # Others may have started just now, too.
            if not _is_grouped(connection):
                connection.execute(ADD_GROUPS)
    with database.connection() as connection:
        connection.executescript(INDEXES)


def _is_grouped(connection: sqlite3.Connection) -> bool:
    columns = connection.execute("SELECT name FROM pragma_table_info('messages')").fetchall()
    return ("group_id",) in columns
