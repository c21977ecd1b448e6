"""Embedders for tests that are about something else."""

from __future__ import annotations

from collections.abc import Sequence

from rag.adapters.embedded.minilm.embedder import MiniLM
from rag.model import Embedding, Span


class Hasty:
    """The shape of the real model without its work: every text means the same."""

    def __init__(self, minilm: MiniLM) -> None:
        self.model, self.dimension = minilm.model, minilm.dimension
        self.calibration = minilm.calibration
        self._minilm = minilm
        self._embedding = minilm.embed(["anything"])[0]

    def windows(self, text: str, header: str = "") -> list[Span]:
        return self._minilm.windows(text, header)

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        return [self._embedding] * len(texts)
