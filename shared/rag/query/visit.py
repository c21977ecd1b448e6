"""A visitor's question: answered from what the site lists, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rag.answering import Outcome
from rag.clock import Clock
from rag.model import Site
from rag.query.sources import Shown

if TYPE_CHECKING:  # requests are read before it is known that they need it
    from rag.query.pipeline import Querying
    from rag.stores.answers import Answers


@dataclass(frozen=True, slots=True)
class Asked:
    """What a visitor asks, and where."""

    message: str
    mode: Literal["browse", "chat"]
    selection: str | None
    page: str | None
    session: str


@dataclass(frozen=True, slots=True)
class Finished:
    """An answer, when all of it is said."""

    text: str
    sources: tuple[Shown, ...]
    outcome: Outcome
    model: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Visited:
    """An answer on its way: its sentences, and at last all of it."""

    id: str
    steps: Iterator[str | Finished]


@dataclass(frozen=True, slots=True)
class Visiting:
    """Answers visitors."""

    querying: Querying
    answers: Answers
    clock: Clock

    def ask(self, site: Site, asked: Asked) -> Visited:
        """What fails before the first sentence fails here."""
        raise NotImplementedError
