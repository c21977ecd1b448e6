from __future__ import annotations

import os
from pathlib import Path

import pytest

from infra.local.folder import Folder
from rag.adapters.embedded.database import Database
from rag.adapters.embedded.objects import FolderObjects
from rag.adapters.embedded.queue import SqliteQueue
from rag.ingest.notices import changes
from rag.ports import Items
from rag.stores.noticed import Noticed
from rag.stores.uploads import Uploads
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


def test_notices_take_the_turn_of_the_org_whose_file_it_is(
    root: Path, queue: SqliteQueue, items: Items
) -> None:
    for name in ("acme/default/1", "acme/default/2", "acme/default/3", "zeta/default/1", "nobody"):
        (root / "uploads" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "uploads" / name).write_text(name)
    folder = watcher(root, queue, items)
    assert [folder.look() for _ in range(2)] == [0, 5]
    first = [change.key for one in queue.receive(3, seconds=60) for change in changes(one.body)]
    assert sorted(first) == ["uploads/acme/default/1", "uploads/nobody", "uploads/zeta/default/1"]


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


def test_a_file_that_nobody_can_look_at_does_not_keep_the_others_back(
    root: Path, queue: SqliteQueue, items: Items
) -> None:
    folder = watcher(root, queue, items)
    home = root / HOME
    Path(os.fsdecode(os.fsencode(home) + b"/a\xff.md")).write_text("no name in UTF-8")
    (home / "b.md").symlink_to(home / "b.md")
    (home / "c.md").write_text("one")
    assert [folder.look() for _ in range(3)] == [0, 1, 0]
    assert told(queue) == ["c.md"]


def test_a_change_is_followed_though_the_clock_was_set_back(
    root: Path, queue: SqliteQueue, items: Items, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, uploads = watcher(root, queue, items), Uploads(items, clock)
    for now, text in ((1_800_000_000, "one"), (1_799_990_000, "two and more")):
        monkeypatch.setattr("time.time", lambda now=now: float(now))
        monkeypatch.setattr("time.time_ns", lambda now=now: now * 10**9)
        (root / HOME / "a.md").write_text(text)
        folder.look()
        folder.look()
        [delivery] = queue.receive(seconds=60)
        [change] = changes(delivery.body)
        assert uploads.claim("local", change.key, change.sequencer) is not None
