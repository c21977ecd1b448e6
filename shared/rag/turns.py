"""Turns at work that keeps a core busy: who waits for one is in line, and nobody passes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock

from rag import timing


class Turns:
    """So many work at once. More would share what there is to compute with and all be late; in
    line, the first are done when their share would have been a part."""

    def __init__(self, most: int) -> None:
        self._lock = Lock()
        self._free = most
        self._line: deque[Event] = deque()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Do what is inside when it is our turn. Raises DeadlineExceeded if that is too late."""
        turn = Event()
        with self._lock:
            if self._free:
                self._free -= 1
                turn.set()
            else:
                self._line.append(turn)
        if not turn.wait(timing.remaining()):
            with self._lock:
                if not turn.is_set():
                    self._line.remove(turn)
                    raise timing.too_late()
        try:
            yield
        finally:
            with self._lock:
                if self._line:
                    self._line.popleft().set()
                else:
                    self._free += 1
