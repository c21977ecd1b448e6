"""What the embedded server does by itself: the cloud has a schedule for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic

from infra.local.beside import beside
from rag.footnote import Chore


@contextmanager
def chores(todo: Sequence[Chore], *, failed: Callable[[Exception], None]) -> Iterator[None]:
    """Do them in a thread of its own, at the start too: the last run may have been killed.

    One that fails is told of and tried again at its next turn."""

    def run(stop: threading.Event) -> None:
        due = [monotonic() for _ in todo]
        while True:
            for position, chore in enumerate(todo):
                if due[position] > monotonic():
                    continue
                try:
                    chore.do()
                except Exception as error:
                    failed(error)
                due[position] = monotonic() + chore.every
            if stop.wait(max(0, min(due) - monotonic()) if due else None):
                return

    with beside("chores", run):
        yield
