"""How long each stage of the request at hand took, and how long it may still take.

Both are ambient, so that a pipeline reads like its sentence and any adapter can ask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter

from rag.errors import DeadlineExceeded

Monotonic = Callable[[], float]

_stages: ContextVar[dict[str, float] | None] = ContextVar("stages", default=None)
_deadline: ContextVar[tuple[float, Monotonic] | None] = ContextVar("deadline", default=None)


@contextmanager
def measured() -> Iterator[dict[str, float]]:
    """Collect the milliseconds of every `stage` inside."""
    stages: dict[str, float] = {}
    token = _stages.set(stages)
    try:
        yield stages
    finally:
        _stages.reset(token)


def so_far() -> dict[str, float]:
    """The milliseconds of every stage up to now, where they are collected."""
    return dict(_stages.get() or {})


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Time one stage; the request must still have time for it."""
    check()
    started = perf_counter()
    try:
        yield
    finally:
        stages = _stages.get()
        if stages is not None:
            stages[name] = stages.get(name, 0.0) + (perf_counter() - started) * 1000


@contextmanager
def time_limit(seconds: float, clock: Monotonic = perf_counter) -> Iterator[None]:
    """Everything inside must be done in so many seconds, and within the limit around it."""
    left = remaining()
    token = _deadline.set((clock() + (seconds if left is None else min(seconds, left)), clock))
    try:
        yield
    finally:
        _deadline.reset(token)


def remaining() -> float | None:
    """Seconds left, or None where there is no limit."""
    deadline = _deadline.get()
    return None if deadline is None else deadline[0] - deadline[1]()


def check() -> None:
    """Raise DeadlineExceeded once the time is up."""
    left = remaining()
    if left is not None and left <= 0:
        raise too_late()


def too_late() -> DeadlineExceeded:
    """What a caller is told whose time is up."""
    return DeadlineExceeded("The request took too long and was stopped; nothing of it was kept.")
