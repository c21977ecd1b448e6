"""The embedded worker: receives messages as Lambda would, one at a time."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import perf_counter

from infra.local.beside import beside
from rag.ingest.repeating import repeating
from rag.ingest.worker import TryAgain, Worker
from rag.ports import Queue
from rag.timing import time_limit

# A message of a worker that was killed comes again after so many seconds.
LEASE_SECONDS = 10
LONGEST_SECONDS = 3600
IDLE_SECONDS = 0.2


@contextmanager
def working(queue: Queue, worker: Worker, *, failed: Callable[[Exception], None]) -> Iterator[None]:
    """Work on messages in a thread of its own. One that is not done at the end comes again."""

    def run(stop: threading.Event) -> None:
        while not stop.is_set():
            try:
                busy = work_on_one(queue, worker, stop)
            except Exception as error:
                failed(error)
                busy = False
            if not busy:
                stop.wait(IDLE_SECONDS)

    with beside("worker", run):
        yield


def work_on_one(queue: Queue, worker: Worker, stop: threading.Event) -> bool:
    """Work on one message, if any is due. Once told to stop, there is no time left for it."""

    def clock() -> float:
        return math.inf if stop.is_set() else perf_counter()

    for delivery in queue.receive(1, seconds=LEASE_SECONDS):
        held = partial(queue.again, delivery, delay=LEASE_SECONDS)
        with repeating(held, LEASE_SECONDS / 3), time_limit(LONGEST_SECONDS, clock):
            try:
                worker.work(delivery)
            except TryAgain:
                return True
        queue.done(delivery)
        return True
    return False
