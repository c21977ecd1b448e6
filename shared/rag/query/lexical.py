"""Reranking without a model: how much of the question stands in an excerpt, and how close by."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise

from rag.answering import Closeness
from rag.model import Excerpt, Question, Span, Term
from rag.sentences import headings, sentences
from rag.terms import terms

# Words with so few characters between them stand together.
NEAR = 4
# What each feature counts for; together one.
WHOLE, SENTENCE, TOGETHER = 0.1, 0.4, 0.5


class LexicalReranker:
    """Reranks by the question's terms in the whole, in the best sentence, and side by side."""

    name = "lexical"

    def rerank(self, question: Question, excerpts: Sequence[Excerpt]) -> list[float]:
        return [_closeness(question, excerpt) for excerpt in excerpts]

    def read(self, question: Question, excerpts: Sequence[Excerpt]) -> list[Closeness]:
        return read(question, excerpts)


def read(question: Question, excerpts: Sequence[Excerpt]) -> list[Closeness]:
    """How much of the question stands in each sentence, and which of its terms do, there or in
    its heading or title."""
    return [_read(question, excerpt) for excerpt in excerpts]


def coverage(weights: Mapping[str, float], there: Collection[str]) -> float:
    """The share of what the terms tell that is told there."""
    told = sum(weight for term, weight in weights.items() if term in there)
    return told / (sum(weights.values()) or 1.0)


def by_sentence(found: Iterable[Term], spans: Sequence[Span]) -> list[set[str]]:
    """Of the terms found in a text, those of each sentence."""
    starts = [span.start for span in spans]
    said: list[set[str]] = [set() for _ in spans]
    for term in found:
        said[bisect_right(starts, term.span.start) - 1].add(term.text)
    return said


def title_terms(excerpt: Excerpt) -> set[str]:
    """The terms of an excerpt's title, and of the header of the table that it begins inside of."""
    return {
        term.text
        for text in (excerpt.document.title, excerpt.stored.chunk.context)
        for term in terms(text)
    }


def _read(question: Question, excerpt: Excerpt) -> Closeness:
    spans = sentences(excerpt.text)
    own = by_sentence(terms(excerpt.text, question.weights), spans)
    title = title_terms(excerpt)
    headed = [
        said | own[heading]
        for said, heading in zip(own, headings(excerpt.text, spans), strict=True)
    ]
    values = tuple(coverage(question.weights, said) for said in headed)
    near = tuple({t: float(t in said | title) for t in question.weights} for said in headed)
    return Closeness(tuple(spans), values, near, by_states=False)


def _closeness(question: Question, excerpt: Excerpt) -> float:
    """From 0 to 1. Title and context count for the whole, and for every sentence."""
    weights = question.weights
    if not sum(weights.values()):
        return 0.0
    title = title_terms(excerpt)
    found = terms(excerpt.text, weights)
    whole = coverage(weights, title.union(term.text for term in found))
    sentence = max(
        (coverage(weights, title | own) for own in by_sentence(found, sentences(excerpt.text))),
        default=coverage(weights, title),
    )
    return WHOLE * whole + SENTENCE * sentence + TOGETHER * _together(question, found)


def _together(question: Question, found: Sequence[Term]) -> float:
    """The share of the question's neighbouring terms that are neighbours here, by weight."""
    weights = question.weights
    asked = {
        (one.text, other.text): min(weights[one.text], weights[other.text])
        for one, other in pairwise(question.terms)
        if one.text != other.text
    }
    near = {
        pair
        for one, other in pairwise(found)
        if other.span.start - one.span.end <= NEAR
        for pair in [(one.text, other.text), (other.text, one.text)]
    }
    best = sum(asked.values())
    return sum(value for pair, value in asked.items() if pair in near) / best if best else 0.0
