"""Questions: retrieve → fuse → read → rerank, and with an answer wanted → assemble → answer."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rag.access import narrowed, queryable, within
from rag.errors import RerankFailed
from rag.model import Ask, Found, Notice, Principal, Reply, Search, Source
from rag.ports import Answerer, Embedder, Index, Reranker
from rag.query.context import Context, assemble
from rag.query.fuse import fuse
from rag.query.look import look
from rag.query.place import placed
from rag.query.rerank import DEPTH, read, rerank
from rag.query.rerankers import chosen
from rag.query.retrieve import retrieve
from rag.stores.documents import Documents
from rag.stores.rankings import Rankings
from rag.stores.sources import Sources
from rag.timing import stage as timed
from rag.usage import count

NO_RESULTS = Notice("NO_RESULTS", "Nothing was found that has to do with the question.")
RERANK_FAILED = Notice(
    "RERANK_FAILED", "The reranker failed; the order is that of the search by meaning and words."
)


@dataclass(frozen=True, slots=True)
class Querying:
    """Finds what is relevant among what the caller may see, and answers from it."""

    sources: Sources
    documents: Documents
    index: Index
    embedder: Embedder
    reranker: Reranker
    answerer: Answerer
    rankings: Rankings
    context_tokens: int

    def answer(self, caller: Principal, search: Search, ask: Ask) -> tuple[Reply, Context]:
        """Search, put what was found before the model, and let it answer."""
        found = self.search(caller, search)
        with timed("assemble"):
            context = assemble(found.excerpts, self.context_tokens)
        # Whether the context can support an answer at all is to be checked here, before it is
        # written; until then the answerer judges that by the scores.
        with timed("answer"):
            shown = replace(found, excerpts=context.excerpts)
            reply = self.answerer.answer(
                replace(ask, system=context.before(ask.system), found=shown)
            )
        count(abstained=int(reply.abstained))
        return reply, context

    def search(self, caller: Principal, search: Search) -> Found:
        """The most relevant excerpts, best first.

        Raises NotFound for a data source that the caller does not see, NoAccessibleSources where
        there is none at all, Invalid for a reranker that there is not."""
        count(questions=1)
        models = (self.embedder.model, chosen(self.reranker, search.reranker).name)

        def among(all: list[Source]) -> Found:
            sources = narrowed(queryable(caller, all), search.data_sources)
            visible = replace(search, where=within(sources, search.where))
            found = look(self.documents, self.rankings, models, caller.org, visible, self._find)
            return replace(found, sources=tuple(sorted(sources)))

        found = placed(self.sources.steadily(caller.org, among))
        return found if found.excerpts else replace(found, notices=(*found.notices, NO_RESULTS))

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
        notices: tuple[Notice, ...] = ()
        if search.rerank:
            with timed("rerank"):
                reranker = chosen(self.reranker, search.reranker)
                try:
                    excerpts = rerank(reranker, question, found, calibration)
                except RerankFailed:
                    notices = (RERANK_FAILED,)
        relevant = [excerpt for excerpt in excerpts if excerpt.score >= search.min_score]
        # Every stage passes on all that it was given, unless it was replaced in the meantime.
        lost = len(best) < min(depth, len(candidates)) or len(found) < len(wanted)
        # An index that finds nothing at all may only be late.
        whole = bool(candidates) and not (replaced or lost)
        best_of_all = tuple(relevant[: search.top_k])
        return Found(question, best_of_all, whole, len(candidates), notices=notices)
