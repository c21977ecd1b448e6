from __future__ import annotations

from pathlib import Path

import pytest

from infra.local.folder import Folder
from rag.adapters.embedded.database import Database
from rag.adapters.embedded.objects import FolderObjects
from rag.adapters.embedded.queue import SqliteQueue
from rag.ingest.notices import changes
from rag.ports import Items
from rag.stores.noticed import Noticed
from tests.conftest import Clock

HOME = "uploads/local/default"


@pytest.fixture
def queue(database: Database, clock: Clock) -> SqliteQueue:
    return SqliteQueue(database, clock, "ingest")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "data" / HOME).mkdir(parents=True)
    return tmp_path / "data"


def watcher(root: Path, queue: SqliteQueue, items: Items) -> Folder:
    return Folder(FolderObjects(root), queue, Noticed(items))


def told(queue: SqliteQueue) -> list[str]:
    keys = []
    while deliveries := queue.receive(seconds=60):
        for delivery in deliveries:
            keys += [change.key.removeprefix(f"{HOME}/") for change in changes(delivery.body)]
            queue.done(delivery)
    return keys


def test_files_that_come_change_or_go_are_told_of_once(
    root: Path, queue: SqliteQueue, items: Items
) -> None:
    folder = watcher(root, queue, items)
    (root / HOME / "a b.md").write_text("one")
    assert [folder.look() for _ in range(4)] == [0, 1, 0, 0]
    assert told(queue) == ["a b.md"]
    (root / HOME / "a b.md").write_text("two")
    assert [folder.look() for _ in range(3)] == [0, 1, 0]
    (root / HOME / "a b.md").unlink()
    assert [folder.look() for _ in range(2)] == [1, 0]
    assert told(queue) == ["a b.md", "a b.md"]


def test_a_file_that_is_still_being_written_is_waited_for(
    root: Path, queue: SqliteQueue, items: Items
) -> None:
    folder = watcher(root, queue, items)
    with (root / HOME / "long.txt").open("w") as file:
        for _ in range(3):
            file.write("more ")
            file.flush()
            assert folder.look() == 0
    assert folder.look() == 1


def test_what_happened_while_nobody_looked_is_told_of_and_nothing_else(
    root: Path, queue: SqliteQueue, items: Items
) -> None:
    before = watcher(root, queue, items)
    for name in ("kept", "changed", "gone"):
        (root / HOME / name).write_text(name)
    before.look(), before.look()
    told(queue)
    (root / HOME / "changed").write_text("anew")
    (root / HOME / "gone").unlink()
    (root / HOME / "new").write_text("new")
    after = watcher(root, queue, items)
    after.look(), after.look()
    assert sorted(told(queue)) == ["changed", "gone", "new"]


def test_a_folder_moved_in_with_old_times_is_seen(
    root: Path, queue: SqliteQueue, items: Items, tmp_path: Path
) -> None:
    folder = watcher(root, queue, items)
    (root / HOME / "a.txt").write_text("one")
    folder.look(), folder.look()
    other = tmp_path / "a.txt"
    other.write_text("two")  # as long, and with times of its own
    other.replace(root / HOME / "a.txt")
    assert [folder.look(), folder.look()] == [0, 1]
