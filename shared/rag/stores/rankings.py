"""The query cache: rankings of searches, never their texts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from rag.clock import Clock
from rag.model import Bound, ChunkRef, Condition, Embedding, Question, Search
from rag.ports import Items, Put
from rag.stores import layout
from rag.terms import terms

KEPT_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Ranking:
    """Which chunks a search found, with which scores, for its question as it was understood."""

    question: Question
    refs: list[tuple[ChunkRef, float]]
    total: int  # how many chunks were found, before the best of them were taken


class Rankings:
    """What a search found lately. The key holds all that the answer depends on, the epoch of the
    corpus and the caller's visible sources among them: never stale, never shared across access."""

    def __init__(self, items: Items, clock: Clock) -> None:
        self._items = items
        self._clock = clock

    def key(self, org: str, epoch: int, models: tuple[str, ...], search: Search) -> str:
        """Names one search over one state of the corpus."""
        where = sorted(json.dumps(_told(one)) for one in search.where)
        parts = [org, epoch, models, search.query, search.top_k, search.min_score, search.rerank]
        return sha256(json.dumps([*parts, where]).encode()).hexdigest()

    def get(self, key: str) -> Ranking | None:
        """The ranking, if it is known."""
        item = self._items.get(layout.cached(key))
        if item is None:
            return None
        question = Question(
            text=item["text"],
            terms=tuple(terms(item["text"])),
            weights=item["weights"],
            embedding=Embedding(np.frombuffer(item["vector"], "<f4"), item["states"]),
            total=item["total"],
        )
        refs = [(ChunkRef.parse(ref), score) for ref, score in item["refs"]]
        return Ranking(question, refs, int(item["found"]))

    def put(self, key: str, ranking: Ranking) -> None:
        """Remember a ranking for a while."""
        question = ranking.question
        body = {
            "text": question.text,
            "weights": dict(question.weights),
            "vector": question.embedding.vector.astype("<f4").tobytes(),
            "states": question.embedding.states,
            "total": question.total,
            "refs": [[str(ref), score] for ref, score in ranking.refs],
            "found": ranking.total,
        }
        expires = int(self._clock()) + KEPT_SECONDS
        self._items.write(Put(layout.cached(key), body, expires=expires))


def _told(one: Condition | Bound) -> list[object]:
    if isinstance(one, Bound):
        return [one.field, one.op, one.value]
    return [one.field, "nin" if one.none else "in", *sorted(one.values)]
