"""Things to be done again and again while work goes on, such as saying that one is still at it.

One thread looks after all of them. To start and end one for each piece of work took longer than
short documents do.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from rag.errors import Unavailable

LOOK_SECONDS = 0.5


class _Errand:
    """Something to be done every so many seconds, until it is over."""

    def __init__(self, do: Callable[[], None], every: float) -> None:
        self._do = do
        self._every = self._left = every
        self._is_over = False
        self._lock = threading.Lock()

    def look(self, passed: float) -> None:
        """Do it if it is time to. What does not work now may work the next time."""
        self._left -= passed
        if self._left > 0:
            return
        self._left = self._every
        with self._lock, suppress(Unavailable):
            if not self._is_over:
                self._do()

    def end(self) -> None:
        """It is not done any more, not even by one who is just at it."""
        with self._lock:
            self._is_over = True


class Repeating:
    """Errands, and a thread that looks after them for as long as there are any."""

    def __init__(self) -> None:
        self._errands: set[_Errand] = set()
        self._lock = threading.Lock()
        self._is_looking = False

    @contextmanager
    def __call__(self, do: Callable[[], None], every: float) -> Iterator[None]:
        """Do it every so many seconds for as long as the work inside takes."""
        errand = _Errand(do, every)
        with self._lock:
            self._errands.add(errand)
            if not self._is_looking:
                # Nothing is left to be done when the process ends.
                threading.Thread(target=self._look, name="repeating", daemon=True).start()
                self._is_looking = True
        try:
            yield
        finally:
            with self._lock:
                self._errands.remove(errand)
            errand.end()

    def _look(self) -> None:
        never = threading.Event()
        try:
            while not never.wait(LOOK_SECONDS) and (errands := self._at_hand()):
                for errand in errands:
                    errand.look(LOOK_SECONDS)
        except BaseException:
            with self._lock:
                self._is_looking = False  # the next work starts another
            raise

    def _at_hand(self) -> list[_Errand]:
        with self._lock:
            self._is_looking = bool(self._errands)
            return list(self._errands)


repeating = Repeating()
