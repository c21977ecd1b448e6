"""v3's internal interfaces (§1, §4) for callers in Python, with the contract's names and shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NotRequired, TypedDict, TypeVar

import numpy as np
from pydantic import BaseModel, ValidationError

from rag.clock import iso
from rag.errors import Invalid
from rag.footnote import Footnote
from rag.identity import LOCAL_OWNER
from rag.ingest.embed import BATCH
from rag.model import IngestStatus, Principal
from rag.ports import Embedder
from rag.wire.v3 import schema, translate
from rag.wire.validation import broken_rule

Body = TypeVar("Body", bound=BaseModel)


class DocumentMetadata(TypedDict):
    """What is known of a document beside its text."""

    source: str
    path: str
    title: str
    hash: NotRequired[str]
    tags: NotRequired[list[str]]
    timestamp: NotRequired[datetime]


class Upserted(TypedDict):
    """What became of a document."""

    documentId: str
    chunkCount: int
    status: IngestStatus


class SearchOptions(TypedDict, total=False):
    """How to search: `topK` 5 and `minScore` 0 unless told otherwise."""

    topK: int
    minScore: float
    filters: dict[str, str | list[str]]


class ChunkMetadata(TypedDict):
    """Where a chunk comes from."""

    documentId: str
    source: str
    path: str
    title: str
    chunkIndex: int
    tags: list[str]
    page: NotRequired[int]
    section: NotRequired[str]


class SimilarChunk(TypedDict):
    """A chunk and its relevance, from 0 to 1."""

    text: str
    score: float
    metadata: ChunkMetadata


class RagStore:
    """Documents in, similar chunks out, as one caller."""

    def __init__(self, footnote: Footnote, caller: Principal = LOCAL_OWNER) -> None:
        self._footnote = footnote
        self._caller = caller

    def upsert_document_with_chunks(self, metadata: DocumentMetadata, text: str) -> Upserted:
        """Create or replace a document; when it returns, the document is found. Raises Invalid."""
        fields = {**metadata, "text": text}
        moment = fields.pop("timestamp", None)
        if not isinstance(moment, datetime | None):
            raise Invalid("timestamp", "timestamp must be a datetime")
        timestamp = (
            iso(moment.astimezone(UTC).timestamp()) if isinstance(moment, datetime) else None
        )
        draft = replace(translate.draft(_valid(schema.IngestRequest, fields)), timestamp=timestamp)
        result = self._footnote.ingestion.ingest(self._caller.org, draft)
        return Upserted(
            documentId=result.document_id, chunkCount=result.chunk_count, status=result.status
        )

    def search_similar_chunks(
        self, query: str, options: SearchOptions | None = None
    ) -> list[SimilarChunk]:
        """The chunks most relevant to a query, best first. Raises Invalid."""
        request = _valid(schema.SearchRequest, {**(options or {}), "query": query})
        found = self._footnote.querying.search(self._caller, translate.search(request))
        results = translate.results(query, found.excerpts).results
        return [
            SimilarChunk(
                text=one.text,
                score=one.score,
                metadata=ChunkMetadata(**one.metadata.model_dump()),  # type: ignore[typeddict-item]
            )
            for one in results
        ]


class EmbeddingsService:
    """Texts into vectors. One longer than the model can take is the mean of its windows."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def embed_text_batch(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector of unit length per text, in order."""
        windows = [
            [text[span.start : span.end] for span in self._embedder.windows(text)] for text in texts
        ]
        pieces = [piece for of_text in windows for piece in of_text]
        vectors = [
            embedding.vector
            for first in range(0, len(pieces), BATCH)
            for embedding in self._embedder.embed(pieces[first : first + BATCH])
        ]
        result, first = [], 0
        for of_text in windows:
            mean = np.mean(vectors[first : first + len(of_text)], axis=0)
            result.append((mean / np.linalg.norm(mean)).tolist())
            first += len(of_text)
        return result

    def get_dimension(self) -> int:
        """How many numbers a vector has."""
        return self._embedder.dimension


def _valid(body: type[Body], fields: Mapping[str, Any]) -> Body:
    """The same rules as over HTTP."""
    try:
        return body.model_validate(fields)
    except ValidationError as invalid:
        raise broken_rule(invalid.errors()[0]) from None
