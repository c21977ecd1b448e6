"""`Index` on one machine: searches run in memory, over what any process has committed."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from rag.adapters.embedded.database import Database
from rag.adapters.embedded.index import tables
from rag.adapters.embedded.index.shard import Shard, View, highest
from rag.model import Entry, Hit, Matches, Vector, Where
from rag.query import bm25


class SqliteIndex:
    """Exact search, loaded by namespace when it is first asked for."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._shards: dict[str, Shard] = {}
        with database.connection() as connection:
            connection.executescript(tables.SCHEMA)
            _, self._removals_seen = tables.latest(connection)
        _, self._dimension = self.maker() or ("", 0)

    def maker(self) -> tuple[str, int] | None:
        with self._database.connection() as connection:
            return tables.maker(connection)

    def claim(self, model: str, dimension: int) -> None:
        with self._database.transaction() as connection:
            tables.claim(connection, model, dimension)
        with self._lock:
            self._dimension, self._shards = dimension, {}

    def clear(self) -> None:
        with self._database.transaction() as connection:
            tables.clear(connection)

    def upsert(self, namespace: str, entries: Sequence[Entry]) -> None:
        with self._database.transaction() as connection:
            tables.remove(connection, namespace, [entry.id for entry in entries])
            for entry in entries:
                tables.insert(connection, namespace, entry)

    def vectors(self, namespace: str, ids: Sequence[str]) -> dict[str, tuple[Vector, ...]]:
        with self._database.connection() as connection:
            return tables.vectors(connection, namespace, ids, self._dimension)

    def delete(self, namespace: str, ids: Sequence[str]) -> None:
        with self._database.transaction() as connection:
            tables.remove(connection, namespace, ids)

    def nearest(self, namespace: str, vector: Vector, where: Where, limit: int) -> list[Hit]:
        view = self._view(namespace, where)
        return [Hit(view.ids[at], value) for at, value in view.nearest(vector, limit)]

    def matching(self, namespace: str, terms: Sequence[str], where: Where, limit: int) -> Matches:
        view = self._view(namespace, where)
        total = int(view.admitted.sum())
        mean_length = float(view.lengths[view.admitted].mean()) if total else 1.0
        values = np.zeros(len(view.admitted), np.float32)
        weights: dict[str, float] = {}
        with self._database.connection() as connection:
            for term in dict.fromkeys(terms):
                seqs, counts = tables.term_postings(connection, namespace, term)
                positions = view.positions(seqs)
                counts, positions = counts[positions >= 0], positions[positions >= 0]
                weights[term] = bm25.idf(term, len(positions), total)
                values[positions] += weights[term] * bm25.saturation(
                    counts, view.lengths[positions], mean_length
                )
        values[values <= 0] = -np.inf
        hits = [Hit(view.ids[at], value) for at, value in highest(values, limit)]
        return Matches(hits, weights, total)

    def _view(self, namespace: str, where: Where) -> View:
        with self._lock:
            return self._fresh(namespace).view(where)

    def _fresh(self, namespace: str) -> Shard:
        """The namespace in memory, brought up to what is committed."""
        if namespace not in self._shards:
            self._shards[namespace] = Shard(self._dimension)
        shard = self._shards[namespace]
        with self._database.transaction("DEFERRED") as connection:
            entries_seen, removals_seen = tables.latest(connection)
            if (entries_seen, removals_seen) == (shard.entries_seen, self._removals_seen):
                return shard
            removed = tables.removals_after(connection, self._removals_seen)
            if removed is None:
                self._shards = {namespace: Shard(self._dimension)}
            elif len(removed):
                for known in self._shards.values():
                    known.remove(removed)
            shard = self._shards[namespace]
            shard.append(
                tables.entries_after(connection, namespace, shard.entries_seen, self._dimension)
            )
        shard.entries_seen, self._removals_seen = entries_seen, removals_seen
        return shard
