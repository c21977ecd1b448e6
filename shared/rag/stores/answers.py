"""Answers that visitors were given, for a day; and what became of them, for the org's owners."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rag.answering import Outcome
from rag.clock import Clock
from rag.ports import Items


@dataclass(frozen=True, slots=True)
class Given:
    """An answer as it was given."""

    org: str
    site: str
    session: str
    question: str
    outcome: Outcome
    sources: tuple[Mapping[str, str], ...]  # id, title, url
    page: str | None


@dataclass(frozen=True, slots=True)
class Rated:
    """An answer that somebody rated, or that the documents did not hold (`helpful` is None)."""

    id: str
    given: Given
    helpful: bool | None
    comment: str | None
    created_at: str


class Answers:
    """What was answered, and what visitors thought of it."""

    def __init__(self, items: Items, fleeting: Items, clock: Clock) -> None:
        self._items = items
        self._fleeting = fleeting
        self._clock = clock

    def keep(self, id: str, given: Given) -> None:
        """Remember an answer, so that it can be rated."""

    def rate(self, id: str, session: str, helpful: bool, comment: str | None) -> bool:
        """Whether this session was given such an answer lately."""
        raise NotImplementedError

    def rated(self, org: str, after: str = "") -> Iterator[Rated]:
        """Newest first, beyond `after`."""
        raise NotImplementedError
