"""`Index` on Pinecone: one index, a namespace per org, meaning and words in the same records."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from rag.adapters.pinecone import answers, freshness, words
from rag.adapters.pinecone.calls import Calls
from rag.adapters.pinecone.filters import Filter, admits_nothing, translate
from rag.adapters.pinecone.records import (
    MOST_BYTES,
    MOST_FETCHED,
    MOST_RECORDS,
    MOST_URL_BYTES,
    PASSAGES,
    Record,
    cut,
    entry_of,
    namespace_of,
    numbers,
    of_entry,
    record_ids,
    size,
)
from rag.adapters.pinecone.statistics import Statistics
from rag.errors import IndexMismatch, IndexUnavailable
from rag.model import Entry, Hit, Matches, Vector, Where
from rag.query import bm25

if TYPE_CHECKING:
    from pinecone import Index

# No org's: in an encoded name, two hexadecimal digits follow every percent sign.
OWN_NAMESPACE = "%footnote"
MAKER = "maker"

MOST_HITS = 10_000
# An entry may have several records among the nearest: look for so many times more at first.
SPREAD = 2
REMEMBERED_SECONDS = 600.0
HIGHEST_COSINE = 1.0

Read = TypeVar("Read")


class PineconeIndex:
    """Search in an index of metric dotproduct, whose handle it is given."""

    def __init__(
        self,
        handle: Index,
        *,
        calls: Calls | None = None,
        remembered_seconds: float = REMEMBERED_SECONDS,
    ) -> None:
        self._handle = handle
        # Whoever forgets an index need not close its connections.
        weakref.finalize(self, handle.close)
        self._calls = calls or Calls()
        self._statistics = Statistics(self._count, remembered_seconds)
        self._known_dimension = 0

    def maker(self) -> tuple[str, int] | None:
        return self._fetch(OWN_NAMESPACE, [MAKER], answers.maker).get(MAKER)

    def claim(self, model: str, dimension: int) -> None:
        actual = self._stated_dimension()
        if dimension != actual:
            raise IndexMismatch(
                f"The Pinecone index has {actual} dimensions, but the embedding model"
                f" {model} makes {dimension}: create an index of {dimension} dimensions with the"
                " metric dotproduct, or configure another model."
            )
        self._known_dimension = dimension
        made_by = {"model": model, "dimension": dimension}
        self._write(
            OWN_NAMESPACE, [{"id": MAKER, "values": self._any_vector(), "metadata": made_by}]
        )

    def clear(self) -> None:
        for namespace in self._namespaces():
            if namespace != OWN_NAMESPACE:
                self._delete(namespace, delete_all=True)

    def upsert(self, namespace: str, entries: Sequence[Entry]) -> None:
        if not entries:
            return
        self._known_dimension = len(entries[0].vectors[0])
        within = namespace_of(namespace)
        passages = self._passages(within, [entry.id for entry in entries])
        records = [of_entry(entry) for entry in entries]
        # An entry's first record comes first and goes last, so that a crash leaves none behind
        # that nobody could name.
        self._write(
            within,
            [own[0] for own in records] + [record for own in records for record in own[1:]],
        )
        surplus = [
            id
            for entry in entries
            for id in record_ids(entry.id, passages.get(entry.id, 0))[len(entry.vectors) :]
        ]
        self._delete_ids(within, surplus)

    def vectors(self, namespace: str, ids: Sequence[str]) -> dict[str, tuple[Vector, ...]]:
        within, dimension = namespace_of(namespace), self._dimension()

        def vector(record: Any) -> Vector:
            return answers.vector(record, dimension)

        firsts = self._firsts(within, ids, lambda one: (answers.passages(one), vector(one)))
        names = {entry: record_ids(entry, count) for entry, (count, _) in firsts.items()}
        others = self._fetch(within, [id for own in names.values() for id in own[1:]], vector)
        return {
            entry: (firsts[entry][1], *(others[id] for id in own[1:]))
            for entry, own in names.items()
            if all(id in others for id in own[1:])
        }

    def delete(self, namespace: str, ids: Sequence[str]) -> None:
        within = namespace_of(namespace)
        passages = self._passages(within, ids)
        names = [record_ids(entry, count) for entry, count in passages.items()]
        self._delete_ids(within, [id for own in names for id in own[1:]])
        self._delete_ids(within, [own[0] for own in names])

    def nearest(self, namespace: str, vector: Vector, where: Where, limit: int) -> list[Hit]:
        if admits_nothing(where):
            return []
        self._known_dimension = len(vector)
        wanted = min(limit * SPREAD, MOST_HITS)
        while True:
            hits = self._query(
                namespace, wanted, translate(where), HIGHEST_COSINE, vector=numbers(vector)
            )
            best: dict[str, float] = {}
            for hit in hits:
                best.setdefault(entry_of(hit.id), hit.value)
            if len(best) >= limit or len(hits) < wanted or wanted == MOST_HITS:
                return [Hit(entry, value) for entry, value in best.items()][:limit]
            wanted = min(wanted * 2, MOST_HITS)

    def matching(self, namespace: str, terms: Sequence[str], where: Where, limit: int) -> Matches:
        if admits_nothing(where):
            return Matches([], {term: bm25.idf(term, 0, 0) for term in terms}, 0)
        total, weights = self._statistics.weights(namespace, terms, where)
        if not weights:
            return Matches([], {}, total)
        hits = self._having(namespace, weights, where, min(limit, MOST_HITS))
        return Matches([Hit(entry_of(one.id), one.value) for one in hits], weights, total)

    def _having(
        self, namespace: str, weights: dict[str, float], where: Where, limit: int
    ) -> list[Hit]:
        """The first records that have any of the terms. They are found by words alone: beside a
        sparse vector, the vendor takes a dense one of zeros."""
        hits = self._query(
            namespace,
            limit,
            translate(where),
            sum(weights.values()) * bm25.MOST,
            vector=[0.0] * self._dimension(),
            sparse_vector=words.of_query(weights),
        )
        return [hit for hit in hits if hit.value > 0]

    def _count(self, namespace: str, where: Where, term: str | None, most: int) -> int:
        if term is not None:
            return len(self._having(namespace, {term: 1.0}, where, most))
        firsts = translate(where, {PASSAGES: {"$gte": 1}})
        anything = self._any_vector()
        return len(self._query(namespace, most, firsts, HIGHEST_COSINE, vector=anything))

    def _query(
        self, namespace: str, top_k: int, filter: Filter | None, highest: float, **vectors: Any
    ) -> list[Hit]:
        def query(**arguments: Any) -> list[Hit]:
            return answers.hits(self._handle.query(**arguments), top_k, highest)

        found: list[Hit] = self._calls(
            query, namespace=namespace_of(namespace), top_k=top_k, filter=filter, **vectors
        )
        return found

    def _write(self, namespace: str, records: Sequence[Record]) -> None:
        """Upsert all records and wait until a read can see them."""
        numbers = [
            self._upsert_whole(namespace, part)
            for part in cut(records, size, MOST_RECORDS, MOST_BYTES)
        ]
        known = [number for number in numbers if number is not None]
        last = max(known) if len(known) == len(numbers) else None
        ids = [str(record["id"]) for record in records]

        def seen() -> bool:
            if last is None:
                return len(self._fetch(namespace, ids, lambda record: record)) == len(ids)
            look = self._calls(
                self._handle.query, namespace=namespace, top_k=1, vector=self._any_vector()
            )
            return (freshness.visible(look) or 0) >= last

        freshness.wait(self._calls, seen)

    def _upsert_whole(self, namespace: str, records: list[Record]) -> int | None:
        """Upsert until every record is taken: an answer may be good and its count too low."""

        def upsert(**arguments: Any) -> Any:
            answer = self._handle.upsert(vectors=records, namespace=namespace, **arguments)
            if answer.upserted_count < len(records):
                raise _partly_taken(answer.upserted_count, len(records))
            return answer

        return freshness.committed(self._calls(upsert))

    def _fetch(
        self, namespace: str, ids: Sequence[str], read: Callable[[Any], Read]
    ) -> dict[str, Read]:
        """What is read of those records that are there."""

        def fetch(ids: list[str], **arguments: Any) -> dict[str, Read]:
            vectors = self._handle.fetch(ids=ids, **arguments).vectors
            return {id: read(vectors[id]) for id in ids if id in vectors}

        found: dict[str, Read] = {}
        for part in cut(ids, len, MOST_FETCHED, MOST_URL_BYTES):
            found |= self._calls(fetch, namespace=namespace, ids=part)
        return found

    def _firsts(
        self, namespace: str, entries: Iterable[str], read: Callable[[Any], Read]
    ) -> dict[str, Read]:
        found = self._fetch(namespace, [f"{entry}#0" for entry in dict.fromkeys(entries)], read)
        return {entry_of(id): first for id, first in found.items()}

    def _passages(self, namespace: str, entries: Iterable[str]) -> dict[str, int]:
        return self._firsts(namespace, entries, answers.passages)

    def _delete_ids(self, namespace: str, ids: Sequence[str]) -> None:
        for part in cut(ids, len, MOST_RECORDS, MOST_BYTES):
            self._delete(namespace, ids=part)

    def _delete(self, namespace: str, **what: Any) -> None:
        from pinecone import NotFoundError

        try:
            self._calls(self._handle.delete, namespace=namespace, **what)
        except IndexUnavailable as error:
            # A namespace that was never written to has nothing to delete.
            if not isinstance(error.__cause__, NotFoundError):
                raise

    def _namespaces(self) -> list[str]:
        stats = self._calls(self._handle.describe_index_stats)
        return list(stats.namespaces)

    def _dimension(self) -> int:
        """Our own vectors tell; a word of the vendor's must not be believed for long."""
        return self._known_dimension or self._stated_dimension()

    def _stated_dimension(self) -> int:
        def describe(**arguments: Any) -> int:
            return answers.dimension(self._handle.describe_index_stats(**arguments))

        stated: int = self._calls(describe)
        return stated

    def _any_vector(self) -> list[float]:
        """For calls that need a vector and do not care which; zeros alone are refused."""
        return [1.0] + [0.0] * (self._dimension() - 1)


def _partly_taken(taken: int, sent: int) -> Exception:
    from pinecone.errors import ServiceError

    return ServiceError(f"{taken} of {sent} records were taken", 500)
