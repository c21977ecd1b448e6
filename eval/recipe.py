"""The plain recipe that ours is compared with, made of our own BM25, vectors and word states:
BM25, cosine, both as a convex sum, and half of that with half of IDF-weighted MaxSim."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from rag.answering import Closeness
from rag.footnote import Footnote
from rag.identity import LOCAL_OWNER
from rag.model import ChunkRef, Excerpt, Question, Where

BM25_SHARE, MAXSIM_SHARE = 0.4, 0.5
LOOKED_AT = 50
# Enough for fifty of them to be left when an article is taken out.
COMPARED = 100

Values = dict[str, float]  # by the paths of documents


@dataclass(frozen=True, slots=True)
class Ranked:
    """What the recipe makes of a question: values of documents by the name of the ranker."""

    rankers: Mapping[str, Values]
    maxsim: Values

    def first(self, name: str) -> list[str]:
        """The documents, best first."""
        values = self.rankers[name]
        return sorted(values, key=lambda path: -values[path])

    def signals(self, allowed: Collection[str]) -> dict[str, float]:
        """How sure it is that one of these documents answers."""
        return {
            "max cosine": _best(self.rankers["cosine"], allowed),
            "max MaxSim": _best(self.maxsim, allowed),
        }


class Recipe:
    """Ranks the documents that the product holds, each by its best chunk."""

    def __init__(self, footnote: Footnote, where: Where) -> None:
        self._querying, self._where = footnote.querying, where
        documents = {one.id: one for one in footnote.documents.all(LOCAL_OWNER.org)}
        refs = [
            ChunkRef(one.id, one.version, index)
            for one in documents.values()
            for index in range(one.chunk_count)
        ]
        stored = footnote.documents.chunks(LOCAL_OWNER.org, refs)
        self._excerpts = {
            str(ref): Excerpt(ref, documents[ref.document], chunk, 0.0)
            for ref, chunk in stored.items()
        }

    def rank(self, question: Question) -> Ranked:
        """Rank in every way."""
        org, index, depth = LOCAL_OWNER.org, self._querying.index, len(self._excerpts)
        near = index.nearest(org, question.embedding.vector, self._where, depth)
        words = [term.text for term in question.terms]
        matching = index.matching(org, words, self._where, depth).hits
        cosine = self._by_path((hit.id, hit.value) for hit in near)
        bm25 = dict.fromkeys(cosine, 0.0) | self._by_path((hit.id, hit.value) for hit in matching)
        convex = _mixed(bm25, cosine, BM25_SHARE)
        ordered = sorted(convex, key=lambda path: -convex[path])[:COMPARED]
        maxsim = self._maxsim(question, ordered)
        looked_at = ordered[:LOOKED_AT]
        both = _mixed(
            {path: maxsim[path] for path in looked_at},
            {path: convex[path] for path in looked_at},
            MAXSIM_SHARE,
        )
        return Ranked(
            {"BM25": bm25, "cosine": cosine, "convex": convex, "convex, MaxSim": both}, maxsim
        )

    def _maxsim(self, question: Question, paths: Collection[str]) -> Values:
        """Of each term of the question the nearest word of the whole text, weighed by IDF."""
        some = {id: one for id, one in self._excerpts.items() if one.document.path in paths}
        read = self._querying.reranker.read(question, list(some.values()))
        whole = sum(question.weights.values()) or 1.0

        def near(term: str, closeness: Closeness) -> float:
            return max((sentence.get(term, 0.0) for sentence in closeness.near), default=0.0)

        return self._by_path(
            (id, sum(w * near(term, closeness) for term, w in question.weights.items()) / whole)
            for id, closeness in zip(some, read, strict=True)
        )

    def _by_path(self, values: Iterable[tuple[str, float]]) -> Values:
        best: Values = {}
        for id, value in values:
            path = self._excerpts[id].document.path
            best[path] = max(value, best.get(path, value))
        return best


def _mixed(one: Values, other: Values, share: float) -> Values:
    """A sum of both, each spread from 0 to 1."""
    one, other = _spread(one), _spread(other)
    return {path: share * one[path] + (1 - share) * value for path, value in other.items()}


def _spread(values: Values) -> Values:
    least, most = min(values.values(), default=0.0), max(values.values(), default=0.0)
    return {path: (value - least) / ((most - least) or 1.0) for path, value in values.items()}


def _best(values: Values, allowed: Collection[str]) -> float:
    return max((value for path, value in values.items() if path in allowed), default=0.0)
