"""Answers without a language model: the sentences that answer, quoted, with their sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.adapters.embedded.late_interaction import read
from rag.errors import ModelNotConfigured, RerankFailed
from rag.model import Ask, Excerpt, Found, Question, Reply, Span
from rag.sentences import sentences
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
        return Reply(_written(quotes) if quotes else NOTHING, self.name)

    def stream(self, ask: Ask) -> Iterator[str]:
        """A line at a time."""
        return iter(self.answer(ask).text.splitlines(keepends=True))


def best_sentences(found: Found) -> list[Quote]:
    """The sentences that answer best, best first; none where no excerpt is relevant."""
    relevant = [one for one in found.excerpts[:MOST_EXCERPTS] if one.score >= RELEVANT]
    quotes = sorted(_sentences(found.question, relevant), key=lambda quote: -quote.fit)
    others = [quote for quote in quotes[1:MOST_SENTENCES] if quote.closeness >= CLOSE]
    said: dict[str, Quote] = {}
    for quote in [*quotes[:1], *others]:
        said.setdefault(quote.text, quote)
    return list(said.values())


def _sentences(question: Question, excerpts: Sequence[Excerpt]) -> Iterator[Quote]:
    for excerpt, span, close in _closeness(question, excerpts):
        text = excerpt.text[span.start : span.end].strip()
        if text:
            coverage = _coverage(question, text)
            close = coverage if close is None else close
            fit = close + COVERAGE * coverage + CONTEXT * excerpt.score
            yield Quote(excerpt, text, close, fit)


def _closeness(
    question: Question, excerpts: Sequence[Excerpt]
) -> Iterator[tuple[Excerpt, Span, float | None]]:
    """Every sentence, and how close it comes; None where the embedding model has no word states,
    so that only the words themselves can tell."""
    try:
        readings = read(question, excerpts)
    except RerankFailed:
        yield from ((one, span, None) for one in excerpts for span in sentences(one.text))
        return
    for excerpt, reading in zip(excerpts, readings, strict=True):
        for span, close in zip(reading.spans, reading.alone, strict=True):
            yield excerpt, span, float(close)


def _coverage(question: Question, sentence: str) -> float:
    """The share of what the question's terms tell that is in the sentence."""
    there = {term.text for term in terms(sentence)}
    told = sum(weight for term, weight in question.weights.items() if term in there)
    return told / (sum(question.weights.values()) or 1.0)


def _written(quotes: Sequence[Quote]) -> str:
    titles = list(dict.fromkeys(quote.excerpt.document.title for quote in quotes))
    numbers = {title: number for number, title in enumerate(titles, 1)}
    said = [f"“{quote.text}” [{numbers[quote.excerpt.document.title]}]" for quote in quotes]
    return "\n".join([*said, "", *(f"[{number}] {title}" for title, number in numbers.items())])
