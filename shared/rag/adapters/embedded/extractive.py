"""Answers without a language model: the sentences that answer, quoted, with their sources."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from rag.adapters.embedded.late_interaction import read
from rag.errors import ModelNotConfigured, RerankFailed
from rag.model import Ask, Excerpt, Found, Question, Reply, Span
from rag.sentences import is_heading, sentences
from rag.terms import terms

# An excerpt below this is not taken for an answer: rather none than a wrong one.
RELEVANT = 0.5
MOST_EXCERPTS = 5
MOST_SENTENCES = 3
# What a sentence must come to by itself, unless it is the best there is.
CLOSE = 0.5
# What the question's terms in a sentence, and the excerpt's score, weigh beside closeness.
COVERAGE = 0.3
CONTEXT = 0.8

# What makes a line an item of a list is no part of what it says.
_MARKER = re.compile(r"^(?:[-*+•]|\d{1,3}[.)])\s+")

NOTHING = "The documents do not say anything about this."
NO_MODEL = (
    "No language model is configured. Set OPENAI_API_KEY, or OPENAI_BASE_URL for a compatible"
    " server; or send useRag: true to get quotations from the documents."
)


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of an excerpt, and how well it answers."""

    excerpt: Excerpt
    text: str
    closeness: float
    fit: float


class Extractive:
    """Quotes. It cannot hold a conversation: without documents it has nothing to say."""

    name = "extractive"

    def answer(self, ask: Ask) -> Reply:
        if ask.found is None:
            raise ModelNotConfigured(NO_MODEL)
        quotes = best_sentences(ask.found)
        if not quotes:
            return Reply(NOTHING, self.name, abstained=True)
        return Reply(_written(quotes), self.name)

    def stream(self, ask: Ask) -> Generator[str, None, Reply]:
        """A line at a time."""
        reply = self.answer(ask)
        yield from reply.text.splitlines(keepends=True)
        return reply


def best_sentences(found: Found) -> list[Quote]:
    """The sentences that answer best, best first; none where no excerpt is relevant."""
    relevant = [one for one in found.excerpts[:MOST_EXCERPTS] if one.score >= RELEVANT]
    quotes = sorted(_sentences(found.question, relevant), key=lambda quote: -quote.fit)
    others = [quote for quote in quotes[1:MOST_SENTENCES] if quote.closeness >= CLOSE]
    said: dict[str, Quote] = {}
    for quote in [*quotes[:1], *others]:
        said.setdefault(quote.text, quote)
    return list(said.values())


def _sentences(question: Question, excerpts: Sequence[Excerpt]) -> list[Quote]:
    quotes = []
    for excerpt, (spans, closeness) in zip(excerpts, _read(question, excerpts), strict=True):
        for span, close in zip(spans, closeness, strict=True):
            sentence = excerpt.text[span.start : span.end].strip()
            # A heading only names what comes; its words have counted for what stands under it.
            if sentence and not is_heading(sentence):
                covered = _coverage(question, sentence)
                fit = close + COVERAGE * covered + CONTEXT * excerpt.score
                quotes.append(Quote(excerpt, _MARKER.sub("", sentence), close, fit))
    return quotes


def _read(question: Question, excerpts: Sequence[Excerpt]) -> list[tuple[list[Span], list[float]]]:
    """The sentences of each excerpt and how close they come: by their words in context, or just
    by their words where a document was embedded without such."""
    try:
        return [(one.spans, one.headed.tolist()) for one in read(question, excerpts)]
    except RerankFailed:
        spans = [sentences(excerpt.text) for excerpt in excerpts]
        return [
            (of_one, [_coverage(question, excerpt.text[a:b]) for a, b in of_one])
            for excerpt, of_one in zip(excerpts, spans, strict=True)
        ]


def _coverage(question: Question, sentence: str) -> float:
    """The share of what the question's terms tell that is in the sentence."""
    there = {term.text for term in terms(sentence)}
    told = sum(weight for term, weight in question.weights.items() if term in there)
    return told / (sum(question.weights.values()) or 1.0)


def _written(quotes: Sequence[Quote]) -> str:
    sources = {quote.excerpt.document.id: quote.excerpt.document.title for quote in quotes}
    numbers = {id: number for number, id in enumerate(sources, 1)}
    said = [f"“{quote.text}” [{numbers[quote.excerpt.document.id]}]" for quote in quotes]
    return "\n".join([*said, "", *(f"[{numbers[id]}] {title}" for id, title in sources.items())])
