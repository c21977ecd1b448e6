"""Embedded chunks into the index, aside from what readers see."""

from __future__ import annotations

from collections.abc import Sequence

from rag.filters import fields
from rag.ingest.embed import passage_text
from rag.model import Chunk, ChunkRef, Document, Draft, EmbeddedChunk, Embedding, Entry
from rag.ports import Index
from rag.stores.documents import Documents, Staged
from rag.terms import terms


def stage(
    documents: Documents,
    index: Index,
    org: str,
    draft: Draft,
    chunks: Sequence[EmbeddedChunk],
) -> Staged:
    """Write a new version of the document: its chunks first, so that a sweep knows its entries."""
    staged = documents.stage(org, draft, chunks)
    index.upsert(org, entries(staged.document, chunks))
    return staged


def known_embeddings(
    documents: Documents, index: Index, org: str, current: Document | None
) -> dict[str, Embedding]:
    """What the current version has embedded already, by the embedded text."""
    if current is None:
        return {}
    chunks = documents.version(org, current.id, current.version)
    ids = [str(ChunkRef(current.id, current.version, one.chunk.index)) for one in chunks]
    vectors = index.vectors(org, ids)
    known: dict[str, Embedding] = {}
    for id, stored in zip(ids, chunks, strict=True):
        states = stored.states or (None,) * len(stored.passages)
        # An entry that the index no longer has is simply embedded again.
        for span, vector, state in zip(stored.passages, vectors.get(id, ()), states, strict=False):
            known[passage_text(current.title, stored.chunk, span)] = Embedding(vector, state)
    return known


def entries(document: Document, chunks: Sequence[EmbeddedChunk]) -> list[Entry]:
    """What the index is to hold of a version of a document."""
    known = fields(document)
    return [
        Entry(
            id=str(ChunkRef(document.id, document.version, one.chunk.index)),
            vectors=tuple(passage.embedding.vector for passage in one.passages),
            terms=tuple(term.text for term in terms(_searched(document.title, one.chunk))),
            fields=known,
        )
        for one in chunks
    ]


def _searched(title: str, chunk: Chunk) -> str:
    """The text whose words find the chunk."""
    return f"{title}\n{chunk.context}\n{chunk.text}"
