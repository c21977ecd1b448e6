from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import pytest

from rag.errors import DeadlineExceeded
from rag.timing import time_limit
from rag.turns import Turns


def until(holds: Callable[[], bool]) -> None:
    while not holds():
        sleep(0.001)


def test_never_more_than_so_many_work_and_all_of_them_do() -> None:
    turns, lock = Turns(3), threading.Lock()
    working, most, done = 0, 0, 0

    def work(_: int) -> None:
        nonlocal working, most, done
        with turns.taken():
            with lock:
                working += 1
                most = max(most, working)
            sleep(0.001)
            with lock:
                working -= 1
                done += 1

    with ThreadPoolExecutor(20) as threads:
        list(threads.map(work, range(60)))
    assert (most, done, working) == (3, 60, 0)


def test_whoever_came_first_is_next() -> None:
    turns, order = Turns(1), list[int]()

    def work(number: int) -> None:
        with turns.taken():
            order.append(number)

    with ThreadPoolExecutor(10) as threads, turns.taken():
        for number in range(10):
            threads.submit(work, number)
            until(lambda wanted=number + 1: len(turns._line) == wanted)  # type: ignore[misc]
    assert order == list(range(10))


def test_who_waits_for_too_long_leaves_the_line_to_the_others() -> None:
    turns = Turns(1)
    with turns.taken(), time_limit(0.01), pytest.raises(DeadlineExceeded), turns.taken():
        raise AssertionError("it was not our turn")
    for _ in range(2):
        with time_limit(10), turns.taken():
            pass


def test_whoever_fails_lets_the_next_one_work() -> None:
    turns = Turns(1)
    for _ in range(2):
        with pytest.raises(KeyError), turns.taken():
            raise KeyError
    with time_limit(10), turns.taken():
        pass
