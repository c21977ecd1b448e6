from __future__ import annotations

import threading
from queue import Queue

import pytest

from rag.errors import Unavailable
from rag.ingest import repeating as module
from rag.ingest.repeating import Repeating

SOON = 0.001
ENOUGH = 10


@pytest.fixture
def repeating(monkeypatch: pytest.MonkeyPatch) -> Repeating:
    monkeypatch.setattr(module, "LOOK_SECONDS", SOON)
    return Repeating()


class Times:
    """Counts how often it is done, and may fail."""

    def __init__(self, *failures: Exception) -> None:
        self.done = 0
        self._failures = list(failures)
        self._news = threading.Condition()

    def __call__(self) -> None:
        with self._news:
            self.done += 1
            self._news.notify_all()
        if self._failures:
            raise self._failures.pop()

    def has_come_to(self, wanted: int) -> bool:
        with self._news:
            return self._news.wait_for(lambda: self.done >= wanted, ENOUGH)


def looking() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == "repeating"]


def test_it_is_done_again_and_again_while_the_work_goes_on_and_not_after_it(
    repeating: Repeating,
) -> None:
    times, others = Times(), Times()
    with repeating(others, SOON):
        with repeating(times, SOON):
            assert times.has_come_to(3)
        before = times.done
        assert others.has_come_to(others.done + 3)
        assert times.done == before


def test_it_is_not_done_before_its_time(repeating: Repeating) -> None:
    seldom, often = Times(), Times()
    with repeating(seldom, 1000 * ENOUGH), repeating(often, SOON):
        assert often.has_come_to(3)
    assert seldom.done == 0


def test_one_thread_looks_after_all_of_it_and_ends_when_there_is_nothing_left(
    repeating: Repeating,
) -> None:
    before = set(looking())
    with repeating(Times(), SOON):
        for _ in range(20):
            times = Times()
            with repeating(times, SOON):
                assert times.has_come_to(1)
        [thread] = set(looking()) - before
    thread.join(ENOUGH)
    assert not thread.is_alive()


def test_the_work_does_not_end_in_the_middle_of_it(repeating: Repeating) -> None:
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def slowly() -> None:
        begun.set()
        assert go_on.wait(ENOUGH)
        ended.set()

    with repeating(slowly, SOON):
        assert begun.wait(ENOUGH)
        threading.Timer(0.01, go_on.set).start()
    assert ended.is_set()


def test_what_does_not_work_now_is_done_the_next_time(repeating: Repeating) -> None:
    times = Times(Unavailable("away"), Unavailable("away"))
    with repeating(times, SOON):
        assert times.has_come_to(4)


def test_a_mistake_is_told_and_the_next_work_has_a_thread_again(
    repeating: Repeating, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: Queue[object] = Queue()
    monkeypatch.setattr(threading, "excepthook", lambda thrown: told.put(thrown.exc_value))
    mistake = ZeroDivisionError()
    with repeating(Times(mistake), SOON):
        assert told.get(timeout=ENOUGH) is mistake
    times = Times()
    with repeating(times, SOON):
        assert times.has_come_to(2)
