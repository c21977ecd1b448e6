"""Work that goes on beside the server."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def beside(name: str, work: Callable[[threading.Event], None]) -> Iterator[None]:
    """Do it in a thread of its own, which is told at the end to stop, and waited for."""
    stop = threading.Event()
    thread = threading.Thread(target=work, args=[stop], name=name)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
