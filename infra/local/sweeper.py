"""Once a minute: remove what was replaced, deleted, or never finished."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

EVERY_SECONDS = 60.0


@contextmanager
def sweeping(*sweeps: Callable[[], object], failed: Callable[[Exception], None]) -> Iterator[None]:
    """Sweep in a thread of its own, at the start too: the last run may have been killed.

    A sweep that fails is told of and tried again at the next turn."""
    stop = threading.Event()

    def run() -> None:
        while True:
            for sweep in sweeps:
                try:
                    sweep()
                except Exception as error:
                    failed(error)
            if stop.wait(EVERY_SECONDS):
                return

    thread = threading.Thread(target=run, name="sweeper")
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
