"""`Queue` in a table of SQLite: a message is there until it is done, whoever dies meanwhile."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any

from rag.adapters.embedded.database import Database
from rag.clock import Clock
from rag.ports import Delivery

MOST_MESSAGES = 10

SCHEMA = """
CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    queue TEXT NOT NULL,
    due REAL NOT NULL,
    body TEXT NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0,
    receipt TEXT
);
CREATE INDEX IF NOT EXISTS due_messages ON messages (queue, due);
"""


class SqliteQueue:
    """One queue of a database, by its name.

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
        with database.connection() as connection:
            connection.executescript(SCHEMA)

    def send(self, body: Mapping[str, Any], *, delay: int = 0) -> None:
        text = json.dumps(body, ensure_ascii=False)
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO messages (queue, due, body) VALUES (?, ?, ?)",
                [self._name, self._clock() + delay, text],
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
        with self._database.transaction() as connection:
            if self._dead:
                connection.execute(
                    "UPDATE messages SET queue = ?, attempt = 0, receipt = NULL"
                    " WHERE queue = ? AND due <= ? AND attempt >= ?",
                    [self._dead, self._name, now, self._attempts],
                )
            rows = connection.execute(
                "SELECT id, body, attempt + 1 FROM messages WHERE queue = ? AND due <= ?"
                " ORDER BY due LIMIT ?",
                [self._name, now, min(limit, MOST_MESSAGES)],
            ).fetchall()
            taken = [
                Delivery(str(id), json.loads(body), attempt, secrets.token_hex(8))
                for id, body, attempt in rows
            ]
            connection.executemany(
                "UPDATE messages SET due = ?, attempt = ?, receipt = ? WHERE id = ?",
                [(now + seconds, one.attempt, one.receipt, int(one.id)) for one in taken],
            )
        return taken

    def done(self, delivery: Delivery) -> None:
        with self._database.transaction() as connection:
            connection.execute(
                "DELETE FROM messages WHERE id = ? AND receipt = ?",
                [int(delivery.id), delivery.receipt],
            )

    def again(self, delivery: Delivery, *, delay: int = 0) -> None:
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE messages SET due = ? WHERE id = ? AND receipt = ?",
                [self._clock() + delay, int(delivery.id), delivery.receipt],
            )
