"""Reranking without a model: how much of the question stands in an excerpt, and how close by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from rag.model import Excerpt, Question, Term
from rag.sentences import sentences
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


def _closeness(question: Question, excerpt: Excerpt) -> float:
    """From 0 to 1. Title and context count for the whole, and for every sentence."""
    weights = question.weights
    best = sum(weights.values())
    if not best:
        return 0.0
    above = f"{excerpt.document.title}\n{excerpt.stored.chunk.context}"
    title = {term.text for term in terms(above)}
    text = [term for term in terms(excerpt.text) if term.text in weights]
    whole = _weight(title.union(term.text for term in text), weights)
    sentence = max(
        (_weight(title.union(own), weights) for own in _by_sentence(excerpt.text, text)),
        default=_weight(title, weights),
    )
    together = _together(question, text)
    return (WHOLE * whole + SENTENCE * sentence) / best + TOGETHER * together


def _weight(found: set[str], weights: Mapping[str, float]) -> float:
    return sum(weights[term] for term in found if term in weights)


def _by_sentence(text: str, found: Sequence[Term]) -> list[set[str]]:
    return [
        {term.text for term in found if span.start <= term.span.start < span.end}
        for span in sentences(text)
    ]


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
