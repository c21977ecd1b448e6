"""What visitors were answered lately: on a public page many ask the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rag.answering import Outcome
from rag.clock import Clock
from rag.ports import Items, Put
from rag.stores import layout

KEPT_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Saying:
    """An answer, and the sources that were shown with it."""

    text: str
    sources: tuple[Mapping[str, Any], ...]
    outcome: Outcome
    model: str


class Sayings:
    """Answers by all that they depend on."""

    def __init__(self, items: Items, clock: Clock) -> None:
        self._items = items
        self._clock = clock

    def get(self, key: str) -> Saying | None:
        """The answer, if it is known."""
        item = self._items.get(layout.said(key))
        if item is None:
            return None
        return Saying(item["text"], tuple(item["sources"]), item["outcome"], item["model"])

    def put(self, key: str, saying: Saying) -> None:
        """Remember an answer for a while."""
        body = {
            "text": saying.text,
            "sources": [dict(one) for one in saying.sources],
            "outcome": saying.outcome,
            "model": saying.model,
        }
        expires = int(self._clock()) + KEPT_SECONDS
        self._items.write_lightly(Put(layout.said(key), body, expires=expires))
