"""Looking things up: from the cache, or by searching, and always in one state of the corpus."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from rag.errors import Unavailable
from rag.model import Excerpt, Found, Search
from rag.stores.documents import Documents
from rag.stores.rankings import Ranking, Rankings
from rag.timing import stage as timed
from rag.timing import time_limit

# How often to look again when a document that was found is replaced while it is read.
MOST_LOOKS = 10
# A cache that takes longer is not worth waiting for, or asking again.
CACHE_SECONDS = 1.0


def look(
    documents: Documents,
    rankings: Rankings,
    models: tuple[str, ...],
    org: str,
    search: Search,
    find: Callable[[str, Search], Found],
) -> Found:
    """What `find` finds, or found lately in the same corpus."""
    for _ in range(MOST_LOOKS):
        epoch = documents.epoch(org)
        key = rankings.key(org, epoch, models, search)
        known = None if search.fresh else _remembered(documents, rankings, org, key)
        if known is not None and known.whole:
            return known
        found = find(org, search)
        # What a stage had to do without, the next search may have again.
        if found.whole and not found.notices:
            _remember(rankings, key, found)
        # A document that was replaced between two stages is in neither version's place.
        if found.whole or documents.epoch(org) == epoch:
            break
    return found


def _remembered(documents: Documents, rankings: Rankings, org: str, key: str) -> Found | None:
    with timed("cache"), suppress(Unavailable), time_limit(CACHE_SECONDS):
        ranking = rankings.get(key)
        return None if ranking is None else _read(documents, org, ranking)
    return None


def _remember(rankings: Rankings, key: str, found: Found) -> None:
    refs = [(excerpt.ref, excerpt.score) for excerpt in found.excerpts]
    with timed("cache"), suppress(Unavailable), time_limit(CACHE_SECONDS):
        rankings.put(key, Ranking(found.question, refs, found.total))


def _read(documents: Documents, org: str, ranking: Ranking) -> Found:
    refs = [ref for ref, _ in ranking.refs]
    heads = documents.get_many(org, (ref.document for ref in refs))
    texts = documents.chunks(org, refs)
    excerpts = tuple(
        Excerpt(ref, heads[ref.document], texts[ref], score)
        for ref, score in ranking.refs
        if ref in texts and ref.document in heads and heads[ref.document].version == ref.version
    )
    whole = len(excerpts) == len(refs)
    return Found(ranking.question, excerpts, whole, ranking.total)
