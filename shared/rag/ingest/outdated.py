"""Entries that were indexed before there were facts to filter by: they get them, bit by bit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rag.ingest.index import entries
from rag.model import (
    ChunkRef,
    Document,
    EmbeddedChunk,
    Embedding,
    Entry,
    Passage,
    StoredChunk,
    Vector,
)
from rag.ports import Index
from rag.stores.documents import FIELDS, Documents
from rag.stores.progress import Progress

# What this work is called in the table.
NAME = f"fields-{FIELDS}"
# So many documents of an org are looked at in one go, and no other org once it was as many.
MOST = 50
# Documents are written together up to so many chunks: a vendor takes seconds to show any write.
MOST_CHUNKS = 500


def bring_up_to_date(documents: Documents, progress: Progress, index: Index) -> int:
    """Give some entries the fields that they would have today; returns of how many documents."""
    if progress.is_over():
        return 0
    reached = progress.all()
    unfinished = [org for org in documents.orgs() if reached.get(org, "") is not None]
    if not unfinished:
        progress.end()
    done = 0
    for org in unfinished:
        outdated, up_to = documents.outdated(org, reached.get(org) or "", MOST)
        for together in _batches(outdated):
            _index_anew(documents, index, org, together)
        progress.reached(org, up_to)
        done += len(outdated)
        if done >= MOST:
            break
    return done


def _batches(documents: Sequence[Document]) -> Iterator[list[Document]]:
    batch: list[Document] = []
    for document in documents:
        if batch and sum(one.chunk_count for one in [*batch, document]) > MOST_CHUNKS:
            yield batch
            batch = []
        batch.append(document)
    if batch:
        yield batch


def _index_anew(documents: Documents, index: Index, org: str, outdated: Sequence[Document]) -> None:
    """Write their entries again with the vectors that they have: nothing is embedded."""
    anew = {one.id: _entries(documents, index, org, one) for one in outdated}
    index.upsert(org, [entry for own in anew.values() for entry in own])
    for document in outdated:
        if not documents.updated(org, document):
            # Another version has taken its place, and this one may have been swept up already.
            index.delete(org, [entry.id for entry in anew[document.id]])


def _entries(documents: Documents, index: Index, org: str, document: Document) -> list[Entry]:
    chunks = documents.version(org, document.id, document.version)
    ids = [str(ChunkRef(document.id, document.version, one.chunk.index)) for one in chunks]
    vectors = index.vectors(org, ids)
    known = [
        _embedded(stored, vectors[id])
        for id, stored in zip(ids, chunks, strict=True)
        if len(vectors.get(id, ())) == len(stored.passages)
    ]
    return entries(document, known)


def _embedded(stored: StoredChunk, vectors: tuple[Vector, ...]) -> EmbeddedChunk:
    passages = zip(stored.passages, vectors, strict=True)
    return EmbeddedChunk(
        stored.chunk, tuple(Passage(span, Embedding(vector)) for span, vector in passages)
    )
