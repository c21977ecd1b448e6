"""Entries that were indexed before there were facts to filter by: they get them, bit by bit."""

from __future__ import annotations

from rag.ingest.index import entries
from rag.model import ChunkRef, Document, EmbeddedChunk, Embedding, Passage, StoredChunk, Vector
from rag.ports import Index
from rag.stores.documents import FIELDS, Documents
from rag.stores.progress import Progress

# What this work is called in the table.
NAME = f"fields-{FIELDS}"
# So many documents of an org are looked at in one go, and no other org once it was as many.
MOST = 50


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
        for document in outdated:
            _index_anew(documents, index, org, document)
        progress.reached(org, up_to)
        done += len(outdated)
        if done >= MOST:
            break
    return done


def _index_anew(documents: Documents, index: Index, org: str, document: Document) -> None:
    """Write its entries again with the vectors that they have: nothing is embedded."""
    chunks = documents.version(org, document.id, document.version)
    ids = [str(ChunkRef(document.id, document.version, one.chunk.index)) for one in chunks]
    vectors = index.vectors(org, ids)
    known = [
        _embedded(stored, vectors[id])
        for id, stored in zip(ids, chunks, strict=True)
        if len(vectors.get(id, ())) == len(stored.passages)
    ]
    index.upsert(org, entries(document, known))
    if not documents.updated(org, document):
        # Another version has taken its place, and may have been swept up already.
        index.delete(org, ids)


def _embedded(stored: StoredChunk, vectors: tuple[Vector, ...]) -> EmbeddedChunk:
    passages = zip(stored.passages, vectors, strict=True)
    return EmbeddedChunk(
        stored.chunk, tuple(Passage(span, Embedding(vector)) for span, vector in passages)
    )
