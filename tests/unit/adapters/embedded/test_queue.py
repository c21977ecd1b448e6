"""What is special about a queue in SQLite."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from rag.adapters.embedded.database import Database
from rag.adapters.embedded.queue import SqliteQueue
from tests.conftest import Clock
from tests.unit.adapters.embedded.disk import waits_for_the_disk

KILLED = """
import os, signal, sys, time
from pathlib import Path
from rag.adapters.embedded.database import Database
from rag.adapters.embedded.queue import SqliteQueue

queue = SqliteQueue(Database(Path(sys.argv[1])), time.time, "main")
queue.send(*({"n": n} for n in range(10)))
queue.send(*({"n": n} for n in range(10, 20)), group="acme")
for delivery in queue.receive(5, seconds=0)[:2]:
    print(delivery.body["n"], flush=True)
    queue.done(delivery)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_nothing_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "queue.sqlite"
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE)
    assert killed.returncode == -signal.SIGKILL
    done = {int(n) for n in killed.stdout.split()}
    assert len(done) == 2
    database = Database(path)
    queue = SqliteQueue(database, time.time, "main")
    found = []
    while batch := queue.receive(seconds=60):
        found += [delivery.body["n"] for delivery in batch]
    database.close()
    assert sorted(found) == sorted({*range(20)} - done)


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


def groups(queue: SqliteQueue, limit: int = 1) -> str:
    """Whose messages come, in their order: each says in its body whose it is."""
    found = ""
    while batch := queue.receive(limit, seconds=60):
        found += "".join(delivery.body["of"] for delivery in batch)
        for delivery in batch:
            queue.done(delivery)
    return found


def test_the_ten_thousand_of_one_do_not_keep_the_one_of_another_waiting(
    database: Database, clock: Clock
) -> None:
    queue = SqliteQueue(database, clock, "main")
    queue.send(*([{"of": "a"}] * 10_000), group="a")
    queue.receive(seconds=60)
    clock.now += 1
    queue.send({"of": "b"}, group="b")
    (next_one,) = queue.receive(1, seconds=60)
    assert next_one.body == {"of": "b"}
    queue.send({"of": "c"}, {"of": "c"}, group="c")
    found = [delivery.body["of"] for delivery in queue.receive(seconds=60)]
    assert Counter(found) == {"a": 8, "c": 2}


@pytest.mark.parametrize("limit", [1, 2, 5, 10])
def test_groups_are_served_in_turn_however_many_are_taken_at_once(
    database: Database, clock: Clock, limit: int
) -> None:
    queue = SqliteQueue(database, clock, "main")
    for group, number in (("a", 7), ("b", 2), ("", 3), ("c", 1)):
        queue.send(*([{"of": group or "-"}] * number), group=group)
        clock.now += 1
    assert groups(queue, limit) == "ab-cab-a-aaaa"


def test_within_a_group_whoever_is_due_longest_comes_first(
    database: Database, clock: Clock
) -> None:
    queue = SqliteQueue(database, clock, "main")
    queue.send({"of": "3"}, {"of": "4"}, group="a", delay=2)
    queue.send({"of": "2"}, group="a", delay=1)
    queue.send({"of": "1"}, group="a")
    clock.now += 2
    assert groups(queue) == "1234"


def test_one_that_sends_again_and_again_is_not_served_before_those_that_wait(
    database: Database, clock: Clock
) -> None:
    queue = SqliteQueue(database, clock, "main")
    queue.send(*([{"of": "b"}] * 3), group="b")
    found = ""
    for _ in range(6):
        clock.now += 1
        queue.send({"of": "a"}, group="a")
        (delivery,) = queue.receive(1, seconds=60)
        found += delivery.body["of"]
        queue.done(delivery)
    assert found == "bababa"


def test_nobody_is_served_twice_while_another_waits(
    database: Database, clock: Clock, dice: Random
) -> None:
    queue = SqliteQueue(database, clock, "main")
    waiting = Counter[str]()
    since_served: dict[str, Counter[str]] = {}  # for each that waits: who was served meanwhile
    for _ in range(600):
        clock.now += 1
        if dice.random() < 0.4:
            group, number = dice.choice("abcde"), dice.choice([1, 1, 1, 20])
            queue.send(*([{"of": group}] * number), group=group)
            waiting[group] += number
            since_served.setdefault(group, Counter())
            continue
        for delivery in queue.receive(dice.choice([1, 1, 3, 10]), seconds=60):
            served = delivery.body["of"]
            queue.done(delivery)
            waiting[served] -= 1
            since_served.pop(served)
            for other in since_served.values():
                other[served] += 1
                assert other[served] < 2
            if waiting[served]:
                since_served[served] = Counter()


def test_queues_of_one_database_have_turns_of_their_own(database: Database, clock: Clock) -> None:
    main, other = (SqliteQueue(database, clock, name) for name in ("main", "other"))
    main.send({"of": "a"}, {"of": "a"}, group="a")
    other.send({"of": "a"}, {"of": "a"}, group="a")
    main.receive(1, seconds=60)
    clock.now += 1
    main.send({"of": "b"}, group="b")
    other.send({"of": "b"}, group="b")
    assert (groups(main), groups(other)) == ("ba", "aba")


def test_what_moves_to_the_dead_is_still_of_its_group(database: Database, clock: Clock) -> None:
    queue = SqliteQueue(database, clock, "main", attempts=1, dead="dead")
    queue.send({"of": "a"}, {"of": "a"}, group="a")
    queue.send({"of": "b"}, group="b")
    queue.receive(seconds=0)
    clock.now += 1
    assert queue.receive(seconds=0) == []
    assert groups(SqliteQueue(database, clock, "dead")) == "aba"


FORMER = """
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    queue TEXT NOT NULL,
    due REAL NOT NULL,
    body TEXT NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0,
    receipt TEXT
);
CREATE INDEX due_messages ON messages (queue, due);
INSERT INTO messages (queue, due, body) VALUES ('main', 0, '{"of": "-"}');
INSERT INTO messages (queue, due, body) VALUES ('main', 0, '{"of": "-"}');
"""


def test_a_queue_of_a_former_version_goes_on(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "queue.sqlite"
    with closing(sqlite3.connect(path)) as former:
        former.executescript(FORMER)
    databases = [Database(path) for _ in range(4)]
    starting = [
        threading.Thread(target=SqliteQueue, args=(database, clock, "main"))
        for database in databases
    ]
    for start in starting:
        start.start()
    for start in starting:
        start.join()
    queue = SqliteQueue(databases[0], clock, "main")
    queue.send({"of": "a"}, group="a")
    assert groups(queue) == "-a-"
    for database in databases:
        database.close()


def test_only_what_is_sent_waits_for_the_disk(database: Database, clock: Clock) -> None:
    queue = SqliteQueue(database, clock, "main")
    assert waits_for_the_disk(database, lambda: queue.send({"n": 1}))
    assert not waits_for_the_disk(database, lambda: queue.receive(seconds=0))
    [delivery] = queue.receive(seconds=0)
    assert not waits_for_the_disk(database, lambda: queue.again(delivery))
    assert not waits_for_the_disk(database, lambda: queue.done(delivery))
