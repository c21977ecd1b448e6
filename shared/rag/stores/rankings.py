"""The query cache: rankings of searches, never their texts."""

from __future__ import annotations

import json
from hashlib import sha256

from rag.clock import Clock
from rag.model import ChunkRef, Search
from rag.ports import Items, Put
from rag.stores import layout

KEPT_SECONDS = 300


class Rankings:
    """What a search found lately. The key holds all that the answer depends on, the epoch of the
    corpus and the caller's visible sources among them: never stale, never shared across access."""

    def __init__(self, items: Items, clock: Clock) -> None:
        self._items = items
        self._clock = clock

    def key(self, org: str, epoch: int, models: tuple[str, ...], search: Search) -> str:
        """Names one search over one state of the corpus."""
        where = sorted([one.field, *sorted(one.values)] for one in search.where)
        parts = [org, epoch, models, search.query, search.top_k, search.min_score, search.rerank]
        return sha256(json.dumps([*parts, where]).encode()).hexdigest()

    def get(self, key: str) -> list[tuple[ChunkRef, float]] | None:
        """The ranking, if it is known."""
        item = self._items.get(layout.cached(key))
        if item is None:
            return None
        return [(ChunkRef.parse(ref), float(score)) for ref, score in item["ranking"]]

    def put(self, key: str, ranking: list[tuple[ChunkRef, float]]) -> None:
        """Remember a ranking for a while."""
        body = {"ranking": [[str(ref), score] for ref, score in ranking]}
        expires = int(self._clock()) + KEPT_SECONDS
        self._items.write(Put(layout.cached(key), body, expires=expires))
