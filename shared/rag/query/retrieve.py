"""Candidates for a question: by meaning and by words, filtered before ranking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rag.filters import admits
from rag.model import ChunkRef, Document, Hit, Question, Where
from rag.ports import Embedder, Index
from rag.query import bm25
from rag.stores.documents import Documents
from rag.terms import terms

# How many entries each way of searching brings in.
DEPTH = 150
# What is beyond this of a very long query changes nothing that is found.
LONGEST_QUERY = 4000

Way: TypeAlias = Literal["meaning", "words"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that may answer: its cosine, its share of the best possible BM25, and which of the
    searches brought it in."""

    ref: ChunkRef
    document: Document
    cosine: float
    words: float
    found_by: tuple[Way, ...]

    @property
    def fused(self) -> float:
        return self.cosine + self.words


def retrieve(
    documents: Documents, index: Index, embedder: Embedder, org: str, query: str, where: Where
) -> tuple[Question, list[Candidate], bool]:
    """The question as the corpus understands it, the chunks that either search brings in, and
    whether one that was found may have been replaced before its document was read."""
    text = query[:LONGEST_QUERY]
    words = tuple(terms(text))
    embedding = embedder.embed([text])[0]
    depth = DEPTH
    while True:
        near = index.nearest(org, embedding.vector, where, depth)
        matches = index.matching(org, [word.text for word in words], where, depth)
        best_share = sum(matches.weights.values()) * bm25.MOST
        found = _joined(near, matches.hits, best_share)
        heads = documents.get_many(org, (ref.document for ref in found))
        admitted = {id for id, head in heads.items() if admits(where, head)}
        candidates = [
            Candidate(ref, heads[ref.document], *values)
            for ref, values in found.items()
            if _is_current(ref, heads) and ref.document in admitted
        ]
        # Versions that are not live take places: look deeper until that is made up for.
        exhausted = len(near) < depth and len(matches.hits) < depth
        if exhausted or len(candidates) >= DEPTH:
            question = Question(text, words, matches.weights, embedding, matches.total)
            return question, candidates, _any_replaced(found, heads)
        depth *= 4


def _joined(
    near: list[Hit], matching: list[Hit], best_share: float
) -> dict[ChunkRef, tuple[float, float, tuple[Way, ...]]]:
    """Both values for every hit, and who found it; where one search did not reach it, the least
    that it did reach."""
    cosines = {hit.id: hit.value for hit in near}
    shares = {hit.id: hit.value / best_share for hit in matching} if best_share else {}
    least = min(cosines.values(), default=0.0)
    ways: Mapping[Way, Mapping[str, float]] = {"meaning": cosines, "words": shares}
    refs = {id: _ref(id) for id in dict.fromkeys([*cosines, *shares])}
    return {
        ref: (
            cosines.get(id, least),
            shares.get(id, 0.0),
            tuple(way for way, hits in ways.items() if id in hits),
        )
        for id, ref in refs.items()
        if ref
    }


def _ref(id: str) -> ChunkRef | None:
    """The chunk that an id names; None for one that we never gave."""
    with suppress(ValueError):
        ref = ChunkRef.parse(id)
        return ref if str(ref) == id else None
    return None


def _any_replaced(found: Iterable[ChunkRef], heads: Mapping[str, Document]) -> bool:
    """Whether a document was found, but not in the version that it has now."""
    current = {ref.document for ref in found if _is_current(ref, heads)}
    return any(id not in current for id in heads)


def _is_current(ref: ChunkRef, heads: Mapping[str, Document]) -> bool:
    return ref.document in heads and heads[ref.document].version == ref.version
