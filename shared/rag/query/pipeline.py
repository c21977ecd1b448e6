"""Questions: retrieve → assemble → ground → answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rag.access import ADMIN, narrowed, queryable, within
from rag.answering import Answered, Assembled, Grounding, Said
from rag.errors import InsufficientContext, ModelNotConfigured, RerankFailed
from rag.model import Ask, Excerpt, Found, Notice, Principal, Question, Reply, Search, Source
from rag.ports import Answerer, Embedder, Index, Judge, Reranker
from rag.query import explain
from rag.query.answer import answer, asking
from rag.query.assemble import assemble, without
from rag.query.check import Checked
from rag.query.evidence import evidence
from rag.query.fuse import fuse
from rag.query.ground import ground
from rag.query.inquiry import MAX_TOKENS, Inquiry
from rag.query.layouts import PLATFORM, TEMPLATE, V3, Layout, PlatformLayout
from rag.query.look import look
from rag.query.place import placed
from rag.query.quote import NOTHING, quotes, with_titles, written
from rag.query.rerank import DEPTH, read, rerank
from rag.query.rerankers import chosen
from rag.query.retrieve import retrieve
from rag.query.selection import Beside, about, beside
from rag.stores.documents import Documents
from rag.stores.rankings import Rankings
from rag.stores.sources import Sources
from rag.timing import stage as timed
from rag.trace import note
from rag.usage import count

NO_RESULTS = Notice("NO_RESULTS", "Nothing was found that has to do with the question.")
RERANK_FAILED = Notice(
    "RERANK_FAILED", "The reranker failed; the order is that of the search by meaning and words."
)

NO_MODEL = (
    "No language model is configured. Set OPENAI_API_KEY, or OPENAI_BASE_URL for a compatible"
    " server; or send useRag: true to get quotations from the documents."
)


@dataclass(frozen=True, slots=True)
class Queried:
    """What was found and judged for an inquiry, and its answer, which is written as it is read."""

    found: Found
    relevant: tuple[Excerpt, ...]  # what supports the question
    grounding: Grounding
    assembled: Assembled  # of what is relevant alone
    answer: Iterator[Said | Answered]


@dataclass(frozen=True, slots=True)
class Querying:
    """Finds what is relevant among what the caller may see, and answers from it."""

    sources: Sources
    documents: Documents
    index: Index
    embedder: Embedder
    reranker: Reranker
    answerer: Answerer | None  # without a language model, answers are quotations
    judge: Judge | None
    rankings: Rankings
    context_tokens: int

    def query(self, caller: Principal, inquiry: Inquiry) -> Queried:
        """Answer a question. What fails before the first sentence of the answer fails here."""
        count(questions=1)
        return self.respond(self.retrieve(caller, inquiry.search), inquiry)

    def respond(self, found: Found, inquiry: Inquiry) -> Queried:
        """Answer from what was found. What fails before the first sentence fails here."""
        query = inquiry.search.query if inquiry.asked is None else inquiry.asked
        layout = _layout(inquiry)
        prompt = self.assemble(query, found.excerpts, inquiry.max_tokens, layout)
        shown = included(found.excerpts, prompt)
        selection = inquiry.selection
        asked = about(found.question, query, selection) if selection else None
        grounding = self.ground(found.question, shown, strict=inquiry.strict, asked=asked)
        if selection and self.answerer:
            grounding = beside(grounding)
        relevant = tuple(shown[at] for at in grounding.relevant)
        dropped = {one.ref for one in shown} - {one.ref for one in relevant}
        if dropped:
            prompt = without(prompt, dropped, query, layout)
        answer = self.answer(query, prompt, grounding, shown, inquiry)
        return Queried(found, relevant, grounding, prompt, _begun(answer))

    def state(self, caller: Principal, search: Search) -> str:
        """Names all that a search depends on: another whenever the same search may find something
        else. Raises as the search does."""
        models = self._models(search)

        def among(all: list[Source]) -> str:
            visible = _visible(search, narrowed(queryable(caller, all), search.data_sources))
            epoch = self.documents.epoch(caller.org)
            return self.rankings.key(caller.org, epoch, models, visible)

        return self.sources.steadily(caller.org, among)

    def search(self, caller: Principal, search: Search) -> Found:
        """What is retrieved, for whoever wants no answer from it."""
        count(searches=1)
        return self.retrieve(caller, search)

    def retrieve(self, caller: Principal, search: Search) -> Found:
        """The most relevant excerpts, best first.

        Raises NotFound for a data source that the caller does not see, NoAccessibleSources where
        there is none at all, Invalid for a reranker that there is not."""
        models = self._models(search)

        def among(all: list[Source]) -> Found:
            sources = narrowed(queryable(caller, all), search.data_sources)
            if ADMIN in caller.roles:
                note("retrieve", lambda: {"hiddenDocuments": self._hidden(caller, all)})
            visible = _visible(search, sources)
            found = look(self.documents, self.rankings, models, caller.org, visible, self._find)
            return replace(found, sources=tuple(sorted(sources)))

        found = placed(self.sources.steadily(caller.org, among))
        return found if found.excerpts else replace(found, notices=(*found.notices, NO_RESULTS))

    def assemble(
        self,
        query: str,
        excerpts: Sequence[Excerpt],
        max_tokens: int = MAX_TOKENS,
        layout: Layout = PLATFORM,
    ) -> Assembled:
        """A prompt with as much of the excerpts as fits. Raises ContextOverflow."""
        with timed("assemble"):
            prompt = assemble(query, excerpts, max_tokens, layout)
        note("assemble", lambda: explain.assembled(excerpts, layout.chosen(excerpts), prompt))
        return prompt

    def ground(
        self,
        question: Question,
        excerpts: Sequence[Excerpt],
        *,
        strict: bool = False,
        asked: Question | None = None,
    ) -> Grounding:
        """Whether the excerpts can support an answer to the question, of which
        maybe only a part is `asked`.

        Raises, where that is asked of it strictly, InsufficientContext if they cannot and
        GroundingFailed if nobody can tell."""
        with timed("ground"):
            # Only the model that is at hand makes the states for which sentences are embedded.
            embed = self.embedder.embed if excerpts else None
            found = evidence(self.reranker, embed, question, excerpts)
            grounding = ground(question, excerpts, found, self.judge, strict=strict, asked=asked)
        note("ground", lambda: explain.grounded(question, excerpts, found, grounding))
        if not grounding.is_groundable:
            count(abstained=1)
            if strict:
                raise InsufficientContext(
                    " ".join([NOTHING, *grounding.gaps]),
                    {"groundingScore": grounding.score, "gaps": list(grounding.gaps)},
                )
        return grounding

    def answer(
        self,
        query: str,
        prompt: Assembled,
        grounding: Grounding,
        excerpts: Sequence[Excerpt],
        inquiry: Inquiry,
    ) -> Iterator[Said | Answered]:
        """The answer, a sentence at a time as each can be vouched for, and the whole at the end.

        Raises GenerationFailed, either at once or when the writer breaks off."""
        ask = asking(prompt, grounding, inquiry)
        quoted = quotes(grounding.sentences, excerpts, prompt.pieces)
        steps = answer(self.answerer, ask, query, prompt, grounding, quoted, inquiry.strict)
        said: list[Said] = []
        while True:
            with timed("answer"):
                step = next(steps)
            if isinstance(step, Answered):
                break
            said.append(step)
            yield step
        # A language model, too, may find that the documents do not say it.
        abstained = grounding.is_groundable and not step.confidence
        count(abstained=int(abstained), unsupported=sum(bool(one.reasons) for one in said))
        note("answer", lambda: explain.answered(said))
        yield step

    def converse(
        self, caller: Principal, search: Search, ask: Ask
    ) -> tuple[Reply, tuple[Excerpt, ...]]:
        """The same stages in a conversation. Its writer may also say good day, so what no document
        supports is counted, and not refused; what a document orders is left out."""
        count(questions=1)
        query = search.query
        found = self.retrieve(caller, search)
        context = self.assemble(query, found.excerpts, self.context_tokens, V3)
        shown = included(found.excerpts, context)
        # Nobody waits for a second judge, and pays it, for what is then only counted.
        grounding = replace(self, judge=None).ground(found.question, shown)
        quoted = quotes(grounding.sentences, shown, context.pieces)
        if self.answerer is None:
            answered = written(quoted, grounding)
            return Reply(with_titles(answered), answered.model), shown
        system = "\n\n".join(filter(None, (context.prompt, ask.system)))
        reply = self.written(replace(ask, system=system))
        checked = Checked(query, context.pieces, grounding, quoted, strict=False)
        for _ in (*checked.feed(reply.text), *checked.rest()):
            pass
        count(unsupported=checked.unsupported)
        if checked.misled:
            text = checked.harmless or with_titles(written(quoted, grounding))
            reply = replace(reply, text=text)
        return reply, shown

    def written(self, ask: Ask) -> Reply:
        """What a language model says. Raises ModelNotConfigured where there is none."""
        if self.answerer is None:
            raise ModelNotConfigured(NO_MODEL)
        with timed("answer"):
            return self.answerer.answer(ask)

    def _models(self, search: Search) -> tuple[str, str]:
        return self.embedder.model, chosen(self.reranker, search.reranker).name

    def _hidden(self, caller: Principal, all: Sequence[Source]) -> int:
        visible = queryable(caller, all)
        hidden = [source for source in all if source.id not in visible]
        return sum(self.sources.counts(caller.org, hidden).values())

    def _find(self, org: str, search: Search) -> Found:
        calibration = self.embedder.calibration
        with timed("retrieve"):
            question, candidates, replaced = retrieve(
                self.documents, self.index, self.embedder, org, search.query, search.where
            )
        with timed("fuse"):
            depth = max(DEPTH, search.top_k)
            best = fuse(self.index, org, question.embedding.vector, candidates, calibration, depth)
        note("retrieve", lambda: explain.candidates(question, candidates))
        note("fuse", lambda: explain.candidates(question, best))
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
        note("rerank", lambda: explain.order(excerpts, search.min_score, search.top_k))
        relevant = [excerpt for excerpt in excerpts if excerpt.score >= search.min_score]
        # Every stage passes on all that it was given, unless it was replaced in the meantime.
        lost = len(best) < min(depth, len(candidates)) or len(found) < len(wanted)
        # An index that finds nothing at all may only be late.
        whole = bool(candidates) and not (replaced or lost)
        best_of_all = tuple(relevant[: search.top_k])
        return Found(question, best_of_all, whole, len(candidates), notices=notices)


def included(excerpts: Sequence[Excerpt], prompt: Assembled) -> tuple[Excerpt, ...]:
    """Those of the excerpts that are in a prompt."""
    shown = {ref for piece in prompt.pieces for ref in piece.refs}
    return tuple(excerpt for excerpt in excerpts if excerpt.ref in shown)


def whole(answer: Iterator[Said | Answered]) -> Answered:
    """An answer, once all of it is written."""
    *_, last = answer
    assert isinstance(last, Answered)  # noqa: S101
    return last


def _layout(inquiry: Inquiry) -> Layout:
    layout = PlatformLayout(inquiry.template or TEMPLATE, inquiry.needs_context)
    return layout if inquiry.selection is None else Beside(inquiry.selection, layout)


def _visible(search: Search, sources: frozenset[str]) -> Search:
    return replace(search, where=within(sources, search.where))


def _begun(answer: Iterator[Said | Answered]) -> Iterator[Said | Answered]:
    """The same answer, of which the first sentence is there."""
    first = next(answer)

    def steps() -> Iterator[Said | Answered]:
        yield first
        yield from answer

    return steps()
