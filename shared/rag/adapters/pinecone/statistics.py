"""How many entries a filter admits, and how many of them have a term.

The vendor keeps no such counts, so they come from filtered queries for ids: what the caller may
not see counts nowhere. They are bounded, and remembered for a while, since they change slowly.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

from rag.model import Where
from rag.query import bm25

MOST_ENTRIES = 10_000
MOST_HAVING = 1_000
MOST_REMEMBERED = 20_000
SIDE_BY_SIDE = 8

Monotonic = Callable[[], float]
Count = Callable[[str, Where, str | None, int], int]  # namespace, filter, term or all, at most


class Statistics:
    """Counts for BM25, each asked for once in a while."""

    def __init__(self, count: Count, seconds: float, clock: Monotonic = time.monotonic) -> None:
        self._count = count
        self._seconds = seconds
        self._clock = clock
        self._known: dict[tuple[str, Where, str | None], tuple[float, int]] = {}

    def weights(
        self, namespace: str, terms: Sequence[str], where: Where
    ) -> tuple[int, dict[str, float]]:
        """How many entries there are, and how much each term tells among them."""
        wanted: list[str | None] = [None, *dict.fromkeys(terms)]
        total, *having = self._counts(namespace, where, wanted)
        return total, {
            term: bm25.idf(term, _estimate(term, count, total), total)
            for term, count in zip(wanted[1:], having, strict=True)
            if term is not None
        }

    def _counts(self, namespace: str, where: Where, wanted: Sequence[str | None]) -> list[int]:
        now = self._clock()
        if len(self._known) > MOST_REMEMBERED:
            self._known = {}
        known = self._known
        missing = [
            key
            for key in ((namespace, where, term) for term in wanted)
            if key not in known or known[key][0] <= now
        ]
        if missing:
            with ThreadPoolExecutor(min(SIDE_BY_SIDE, len(missing))) as pool:
                # Each in a context of its own, so that the request's deadline holds there too.
                asked = [pool.submit(copy_context().run, self._ask, key) for key in missing]
                for key, answer in zip(missing, asked, strict=True):
                    known[key] = (now + self._seconds, answer.result())
        return [known[namespace, where, term][1] for term in wanted]

    def _ask(self, key: tuple[str, Where, str | None]) -> int:
        namespace, where, term = key
        return self._count(namespace, where, term, MOST_ENTRIES if term is None else MOST_HAVING)


def _estimate(term: str, counted: int, total: int) -> int:
    """Beyond the bound, a term is taken to be as frequent as in everyday English."""
    if counted < MOST_HAVING:
        return counted
    return min(total, max(counted, int(total * bm25.everyday_share(term))))
