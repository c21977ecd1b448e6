"""What each stage of the request at hand saw and decided, for whoever asks for an explanation.

Ambient, as its time is: nothing is noted, or even put together, unless somebody wants to know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias

Notes: TypeAlias = dict[str, dict[str, Any]]

_notes: ContextVar[Notes | None] = ContextVar("notes", default=None)


@contextmanager
def traced() -> Iterator[Notes]:
    """Collect the notes of every stage inside."""
    notes: Notes = {}
    token = _notes.set(notes)
    try:
        yield notes
    finally:
        _notes.reset(token)


def note(stage: str, facts: Callable[[], Mapping[str, Any]]) -> None:
    """Keep what a stage has to tell; of a stage that is done again, only the last time counts."""
    notes = _notes.get()
    if notes is not None:
        notes.setdefault(stage, {}).update(facts())
