"""What waits for the disk."""

from __future__ import annotations

from collections.abc import Callable

from rag.adapters.embedded.database import Database

LEVEL = "PRAGMA synchronous = "


def waits_for_the_disk(database: Database, do: Callable[[], object]) -> bool:
    """Whether its one transaction cannot be undone by a power cut."""
    statements: list[str] = []
    with database.connection() as connection:
        connection.set_trace_callback(statements.append)
    do()
    connection.set_trace_callback(None)
    assert statements.count("COMMIT") == 1
    [level] = [one.removeprefix(LEVEL) for one in statements if one.startswith(LEVEL)]
    return level == "FULL"
