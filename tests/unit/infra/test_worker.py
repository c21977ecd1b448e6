from __future__ import annotations

import threading
from pathlib import Path

import pytest

from infra.local import worker as embedded
from rag import timing
from rag.adapters.embedded.database import Database
from rag.adapters.embedded.queue import SqliteQueue
from rag.errors import DeadlineExceeded
from rag.ingest.worker import TryAgain
from rag.ports import Delivery
from tests.conftest import Clock


@pytest.fixture
def queue(database: Database, clock: Clock) -> SqliteQueue:
    return SqliteQueue(database, clock, "ingest")


class Hand:
    """A worker that does what it is told."""

    def __init__(self, *outcomes: BaseException | None) -> None:
        self.outcomes = list(outcomes)
        self.seen: list[Delivery] = []

    def work(self, delivery: Delivery) -> None:
        self.seen.append(delivery)
        outcome = self.outcomes.pop(0) if self.outcomes else None
        if outcome:
            raise outcome


def test_what_is_done_is_taken_off_the_queue_and_what_is_not_stays(
    queue: SqliteQueue, clock: Clock
) -> None:
    queue.send({"n": 1})
    hand = Hand(TryAgain(), None)
    stop = threading.Event()
    assert embedded.work_on_one(queue, hand, stop)  # type: ignore[arg-type]
    clock.now += embedded.LEASE_SECONDS + 1
    assert embedded.work_on_one(queue, hand, stop)  # type: ignore[arg-type]
    clock.now += 10_000
    assert not embedded.work_on_one(queue, hand, stop)  # type: ignore[arg-type]
    assert [one.attempt for one in hand.seen] == [1, 2]


def test_a_long_work_keeps_its_message(
    queue: SqliteQueue, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "LEASE_SECONDS", 0.03)
    queue.send({"n": 1})
    extended = threading.Event()
    monkeypatch.setattr(queue, "again", lambda delivery, delay: extended.set())

    class Slow(Hand):
        def work(self, delivery: Delivery) -> None:
            assert extended.wait(10)

    assert embedded.work_on_one(queue, Slow(), threading.Event())  # type: ignore[arg-type]


def test_a_failure_of_the_queue_is_told_of_and_the_work_goes_on(
    queue: SqliteQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "IDLE_SECONDS", 0.001)
    failures: list[Exception] = []
    done = threading.Event()

    class Last(Hand):
        def work(self, delivery: Delivery) -> None:
            super().work(delivery)
            done.set()

    receive = queue.receive

    def broken_once(limit: int, *, seconds: int) -> list[Delivery]:
        if not failures:
            raise OSError("disk full")
        return receive(limit, seconds=seconds)

    monkeypatch.setattr(queue, "receive", broken_once)
    queue.send({"n": 1})
    with embedded.working(queue, Last(), failed=failures.append):  # type: ignore[arg-type]
        assert done.wait(10)
    assert [str(one) for one in failures] == ["disk full"]


def test_once_told_to_stop_the_work_at_hand_has_no_time_left(queue: SqliteQueue) -> None:
    begun, ended = threading.Event(), threading.Event()

    class Endless(Hand):
        def work(self, delivery: Delivery) -> None:
            begun.set()
            try:
                while True:
                    timing.check()
            except DeadlineExceeded:
                ended.set()
                raise TryAgain from None

    queue.send({"n": 1})
    with embedded.working(queue, Endless(), failed=lambda error: None):  # type: ignore[arg-type]
        assert begun.wait(10)
    assert ended.is_set()


def test_idle_work_ends_at_once(queue: SqliteQueue, tmp_path: Path) -> None:
    with embedded.working(queue, Hand(), failed=lambda error: None):  # type: ignore[arg-type]
        pass
    assert not [one for one in threading.enumerate() if one.name == "worker"]
