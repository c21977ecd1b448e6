"""How many tokens of vendors' models the request at hand has used: ambient, as its time is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock

_used: ContextVar[Counter[str] | None] = ContextVar("used", default=None)
_lock = Lock()  # a request may use a model on several threads


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Collect what everything inside uses, by kind of token."""
    used: Counter[str] = Counter()
    token = _used.set(used)
    try:
        yield used
    finally:
        _used.reset(token)


def count(**tokens: int) -> None:
    """Add to what the request has used."""
    used = _used.get()
    if used is not None:
        with _lock:
            used.update(tokens)
