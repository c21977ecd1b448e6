"""What every `Queue` adapter holds to."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from infra.local.resources import make_queues
from rag.adapters.aws.queue import SqsQueue
from rag.adapters.embedded.database import Database
from rag.adapters.embedded.queue import SqliteQueue
from rag.ports import Delivery, Queue
from tests.conftest import EMULATORS, Clients, Clock

ATTEMPTS = 3


@dataclass
class Queues:
    """A queue, the one for what failed too often, and a way to let time pass."""

    main: Queue
    dead: Queue
    wait: Callable[[float], None]


@pytest.fixture
def sqlite_queues(database: Database, clock: Clock) -> Queues:
    def wait(seconds: float) -> None:
        clock.now += seconds

    main = SqliteQueue(database, clock, "main", attempts=ATTEMPTS, dead="dead")
    return Queues(main, SqliteQueue(database, clock, "dead"), wait)


def sqs_queues(aws: Clients) -> Queues:
    sqs, name = aws("sqs"), secrets.token_hex(4)
    main, dead = make_queues(sqs, name, f"{name}-dead", ATTEMPTS)
    return Queues(SqsQueue(sqs, main), SqsQueue(sqs, dead), time.sleep)


@pytest.fixture(params=["sqlite", *EMULATORS])
def queues(request: pytest.FixtureRequest) -> Queues:
    if request.param == "sqlite":
        found: Queues = request.getfixturevalue("sqlite_queues")
        return found
    return sqs_queues(request.getfixturevalue(request.param))


def one(queue: Queue, seconds: int = 60) -> Delivery:
    (delivery,) = queue.receive(seconds=seconds)
    return delivery


def drained(queue: Queue) -> list[Delivery]:
    """All that is due."""
    found: list[Delivery] = []
    while batch := queue.receive(seconds=60):
        found += batch
    return found


def test_a_message_comes_until_it_is_done(queues: Queues) -> None:
    body = {"text": "ü🦀", "n": 1, "f": 0.5, "l": [None, True, {}]}
    queues.main.send(body)
    first = one(queues.main)
    assert (first.body, first.attempt) == (body, 1)
    assert queues.main.receive(seconds=60) == []
    queues.main.again(first)
    second = one(queues.main)
    assert (second.id, second.body, second.attempt) == (first.id, body, 2)
    queues.main.done(second)
    queues.main.again(second)
    assert queues.main.receive(seconds=60) == []


def test_a_receiver_that_died_holds_a_message_no_longer_than_its_time(queues: Queues) -> None:
    queues.main.send({})
    one(queues.main, seconds=2)
    assert queues.main.receive(seconds=60) == []
    queues.wait(2.1)
    assert one(queues.main).attempt == 2


def test_a_message_can_be_put_off(queues: Queues) -> None:
    queues.main.send({"n": 1}, delay=2)
    assert queues.main.receive(seconds=60) == []
    queues.wait(2.1)
    queues.main.again(one(queues.main), delay=2)
    assert queues.main.receive(seconds=60) == []
    queues.wait(2.1)
    assert one(queues.main).body == {"n": 1}


def test_what_failed_too_often_waits_elsewhere_and_can_be_sent_back(queues: Queues) -> None:
    queues.main.send({"bad": True})
    for _ in range(ATTEMPTS):
        queues.main.again(one(queues.main))
    queues.main.send({"bad": False})
    assert one(queues.main).body == {"bad": False}
    assert [message.body for message in queues.dead.receive(seconds=0)] == [{"bad": True}]
    dead = one(queues.dead)
    queues.main.send(dead.body)
    queues.dead.done(dead)
    assert one(queues.main).body == {"bad": True}
    assert queues.dead.receive(seconds=0) == []


@pytest.mark.parametrize("group", ["", "acme", "a.b_c-D1" * 8])
def test_of_many_that_are_sent_at_once_each_comes_once(queues: Queues, group: str) -> None:
    bodies = [{"n": number, "text": "ü" * 20_000} for number in range(25)]
    queues.main.send(*bodies, group=group)
    assert sorted(message.body["n"] for message in drained(queues.main)) == list(range(25))


def test_to_send_nothing_is_nothing(queues: Queues) -> None:
    queues.main.send()
    assert queues.main.receive(seconds=60) == []


def test_of_many_that_are_sent_at_once_all_are_put_off(queues: Queues) -> None:
    queues.main.send({"n": 1}, {"n": 2}, group="acme", delay=2)
    assert queues.main.receive(seconds=60) == []
    queues.wait(2.1)
    assert sorted(message.body["n"] for message in drained(queues.main)) == [1, 2]


def test_a_group_is_no_order_and_no_lock(queues: Queues) -> None:
    queues.main.send({"n": 1}, {"n": 2}, group="acme")
    first, second = drained(queues.main)
    queues.main.again(first)
    assert one(queues.main).id == first.id
    queues.main.done(second)


def test_a_batch_has_no_more_than_was_asked_for(queues: Queues) -> None:
    queues.main.send(*({"n": number} for number in range(15)))
    batches = [queues.main.receive(4, seconds=60), queues.main.receive(seconds=60)]
    rest = queues.main.receive(seconds=60)
    assert [len(batch) for batch in batches] == [4, 10]
    numbers = sorted(message.body["n"] for batch in [*batches, rest] for message in batch)
    assert numbers == list(range(15))


def test_of_many_receivers_each_message_has_one(queues: Queues) -> None:
    for group in ("", "acme", "zeta", "local"):
        queues.main.send(*({"n": number} for number in range(10)), group=group)
    received: list[int] = []

    def work() -> None:
        while batch := queues.main.receive(3, seconds=60):
            for message in batch:
                received.append(message.body["n"])
                queues.main.done(message)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(received) == sorted([*range(10)] * 4)
