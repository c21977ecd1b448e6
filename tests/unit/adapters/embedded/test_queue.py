"""What is special about a queue in SQLite."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

from rag.adapters.embedded.database import Database
from rag.adapters.embedded.queue import SqliteQueue
from tests.conftest import Clock

KILLED = """
import os, signal, sys, time
from pathlib import Path
from rag.adapters.embedded.database import Database
from rag.adapters.embedded.queue import SqliteQueue

queue = SqliteQueue(Database(Path(sys.argv[1])), time.time, "main")
for n in range(20):
    queue.send({"n": n})
for delivery in queue.receive(5, seconds=0)[:2]:
    queue.done(delivery)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_nothing_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "queue.sqlite"
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)])
    assert done.returncode == -signal.SIGKILL
    database = Database(path)
    queue = SqliteQueue(database, time.time, "main")
    found = []
    while batch := queue.receive(seconds=60):
        found += [delivery.body["n"] for delivery in batch]
    database.close()
    assert sorted(found) == list(range(2, 20))


def test_a_receiver_that_comes_too_late_changes_nothing(database: Database, clock: Clock) -> None:
    queue = SqliteQueue(database, clock, "main")
    queue.send({})
    (late,) = queue.receive(seconds=1)
    clock.now += 2
    (current,) = queue.receive(seconds=60)
    queue.done(late)
    queue.again(late)
    assert queue.receive(seconds=60) == []
    queue.again(current)
    assert len(queue.receive(seconds=60)) == 1
