"""Search: retrieve → fuse → read → rerank → cut."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rag.access import within
from rag.model import Excerpt, Found, Principal, Search
from rag.ports import Embedder, Index, Reranker
from rag.query.fuse import fuse
from rag.query.rerank import DEPTH, read, rerank
from rag.query.retrieve import retrieve
from rag.stores.documents import Documents
from rag.stores.rankings import Ranking, Rankings
from rag.timing import stage as timed

# How often to look again when a document that was found is replaced while it is read.
MOST_LOOKS = 10


@dataclass(frozen=True, slots=True)
class Querying:
    """Finds what is relevant to a query among what its caller may see."""

    documents: Documents
    index: Index
    embedder: Embedder
    reranker: Reranker
    rankings: Rankings

    def search(self, caller: Principal, search: Search) -> Found:
        """The most relevant excerpts, best first, all of one state of the corpus."""
        search = replace(search, where=within(caller, search.where))
        for _ in range(MOST_LOOKS):
            epoch = self.documents.epoch(caller.org)
            found = self._known_or_found(caller.org, epoch, search)
            # A document that was replaced between two stages is in neither version's place.
            if found.whole or self.documents.epoch(caller.org) == epoch:
                break
        return found

    def _known_or_found(self, org: str, epoch: int, search: Search) -> Found:
        models = (self.embedder.model, self.reranker.name)
        with timed("cache"):
            key = self.rankings.key(org, epoch, models, search)
            known = self.rankings.get(key)
        if known is not None:
            with timed("read"):
                return self._read(org, known)
        found = self._find(org, search)
        with timed("cache"):
            ranking = [(excerpt.ref, excerpt.score) for excerpt in found.excerpts]
            self.rankings.put(key, Ranking(found.question, ranking))
        return found

    def _find(self, org: str, search: Search) -> Found:
        calibration = self.embedder.calibration
        with timed("retrieve"):
            question, candidates, replaced = retrieve(
                self.documents, self.index, self.embedder, org, search.query, search.where
            )
        with timed("fuse"):
            depth = max(DEPTH, search.top_k)
            best = fuse(self.index, org, question.embedding.vector, candidates, calibration, depth)
        with timed("read"):
            wanted = best if search.rerank else best[: search.top_k]
            found = read(self.documents, org, question, wanted, calibration)
            excerpts = [excerpt for _, excerpt in found]
        if search.rerank:
            with timed("rerank"):
                excerpts = rerank(self.reranker, question, found, calibration)
        relevant = [excerpt for excerpt in excerpts if excerpt.score >= search.min_score]
        lost = len(best) < min(depth, len(candidates)) or len(found) < len(wanted)
        return Found(question, tuple(relevant[: search.top_k]), whole=not (replaced or lost))

    def _read(self, org: str, ranking: Ranking) -> Found:
        refs = [ref for ref, _ in ranking.refs]
        heads = self.documents.get_many(org, (ref.document for ref in refs))
        texts = self.documents.chunks(org, refs)
        excerpts = tuple(
            Excerpt(ref, heads[ref.document], texts[ref], score)
            for ref, score in ranking.refs
            if ref in texts and ref.document in heads and heads[ref.document].version == ref.version
        )
        return Found(ranking.question, excerpts, whole=len(excerpts) == len(refs))
