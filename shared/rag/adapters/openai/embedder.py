"""Vectors from a model behind OpenAI's embeddings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rag import tokens, usage
from rag.adapters.openai.batches import MOST_TOKENS, batches
from rag.adapters.openai.client import within
from rag.adapters.openai.models import calibration, embedding_model
from rag.adapters.openai.retries import Retries
from rag.calibration import Calibration
from rag.errors import EmbeddingFailed
from rag.ingest.chunk import windows
from rag.model import Embedding, Span, Vector

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types import CreateEmbeddingResponse

WHO = "The embedding model"
LANES = 4  # requests at a time

_SURROGATES = re.compile("[\ud800-\udfff]")


class OpenAIEmbedder:
    """Embeds in batches, side by side; what a model cannot read at once goes in windows."""

    def __init__(
        self,
        client: OpenAI,
        model: str,
        *,
        dimension: int | None = None,
        longest: int | None = None,
        retries: Retries | None = None,
    ) -> None:
        """`dimension` and `longest` (tokens of a text) need be given for unknown models only."""
        known = embedding_model(model)
        self.model = model
        self._client = client
        self._dimension = dimension or known.dimension
        self._longest = longest or known.longest
        self._retries = retries or Retries()
        self._threads = ThreadPoolExecutor(LANES, thread_name_prefix="embed")
        self._request: dict[str, Any] = {"model": model}
        if known.shortens and dimension not in (None, known.dimension):
            self._request["dimensions"] = dimension

    @cached_property
    def dimension(self) -> int:
        """How many numbers a vector has: known, given, or seen. Raises EmbeddingFailed."""
        return self._dimension or len(self._embed(["dimension"])[0].vector)

    @cached_property
    def calibration(self) -> Calibration:
        """What this model's values mean as relevance."""
        return calibration(self.model)

    def windows(self, text: str, header: str = "") -> list[Span]:
        """Pieces within what the model reads under `header`, which may take up half of that."""
        if tokens.most(f"{header}\n{text}") < self._longest:
            return [Span(0, len(text))]
        # Two more for the line end between them, which may join neither.
        room = max(self._longest - tokens.count(header) - 2, self._longest // 2)
        return [Span(one.start, one.end) for one in windows(text, room, 0)] or [Span(0, 0)]

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """One embedding per text, in order, of as much of it as the model reads."""
        readable = [self._readable(text) for text in texts]
        lengths = [tokens.most(text) for text in readable]
        if sum(lengths) > MOST_TOKENS:
            lengths = [tokens.count(text) for text in readable]
        parts = [[readable[at] for at in batch] for batch in batches(lengths, LANES)]
        if len(parts) == 1:
            return self._embed(parts[0])
        # The request's deadline and its counters are in its context.
        futures = [self._threads.submit(copy_context().run, self._embed, part) for part in parts]
        try:
            return [embedding for future in futures for embedding in future.result()]
        finally:
            # Nothing goes on once one has failed: Lambda would freeze it together with its socket.
            wait([future for future in futures if not future.cancel()])

    def _readable(self, text: str) -> str:
        # The vendor refuses empty texts, and no encoding has half of a surrogate pair.
        return tokens.truncate(_SURROGATES.sub("\ufffd", text), self._longest) or " "

    def _embed(self, texts: list[str]) -> list[Embedding]:
        def send(seconds: float) -> list[Embedding]:
            created = self._client.embeddings.create(
                **self._request, input=texts, timeout=within(seconds)
            )
            vectors = self._vectors(created, len(texts))
            usage.count(embedding_tokens=(created.usage and created.usage.prompt_tokens) or 0)
            return [Embedding(vector) for vector in vectors]

        return self._retries.call(EmbeddingFailed, WHO, send)

    def _vectors(self, created: CreateEmbeddingResponse, wanted: int) -> Vector:
        """The unit vectors, one in a row, of an answer that holds all that was asked for."""
        rows = sorted(created.data, key=lambda one: one.index)
        if [one.index for one in rows] != list(range(wanted)):
            raise EmbeddingFailed(f"{WHO} answered for other texts than it was sent.")
        vectors: Vector = np.array([one.embedding for one in rows], np.float32)
        if self._dimension not in (None, vectors.shape[1]):
            raise EmbeddingFailed(
                f"{WHO} answered with {vectors.shape[1]} numbers a text, not {self._dimension}."
            )
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (np.isfinite(norms).all() and (norms > 0).all()):
            raise EmbeddingFailed(f"{WHO} answered with vectors that point nowhere.")
        unit: Vector = vectors / norms
        return unit
