"""What tests of every room share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.adapters.embedded.database import Database
from rag.adapters.embedded.items import SqliteItems


class Clock:
    """A clock that goes only when it is told to."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def items(tmp_path: Path, clock: Clock) -> Iterator[SqliteItems]:
    database = Database(tmp_path / "items.sqlite")
    yield SqliteItems(database, clock)
    database.close()
