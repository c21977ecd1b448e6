"""The sentences that may hold the answer: one list, for grounding and for quoting."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from rag.answering import Closeness, Evidence, Sentence
from rag.errors import RerankFailed
from rag.model import Embedding, Excerpt, Question
from rag.ports import Reranker
from rag.query import lexical
from rag.query.lexical import by_sentence, coverage, title_terms
from rag.sentences import headings, is_heading, is_question
from rag.terms import terms

Embed: TypeAlias = Callable[[Sequence[str]], list[Embedding]]

MOST_EXCERPTS = 5
MOST_SENTENCES = 10
# What is beyond these characters of a sentence no model of ours reads.
LONGEST = 600
# What counts beside closeness: the question's terms in the sentence, those in and around it, the
# excerpt's score, and what the sentence means by itself.
OWN, AROUND, SCORE, ALONE = 0.15, 0.3, 0.6, 0.3
# The same where closeness is nothing but the terms in a sentence and its heading; the score as a
# logit.
BY_WORDS, BY_WORDS_OWN, BY_WORDS_AROUND, BY_WORDS_SCORE = 0.25, 0.25, 0.3, 0.1


def evidence(
    reranker: Reranker, embed: Embed | None, question: Question, excerpts: Sequence[Excerpt]
) -> Evidence:
    """The best sentences of the best excerpts, best first.

    `embed` is for models at hand only: it is called for ten sentences of every question."""
    looked_at = excerpts[:MOST_EXCERPTS]
    read = _read(reranker, question, looked_at)
    by_states = all(one.by_states for one in read)
    found = [
        sentence
        for number, (excerpt, closeness) in enumerate(zip(looked_at, read, strict=True))
        for sentence in _sentences(question, number, excerpt, closeness)
    ]
    best = sorted(found, key=_order)[:MOST_SENTENCES]
    if by_states and embed is not None:
        best = sorted(_with_alone(embed, question, best), key=_order)
    return Evidence(tuple(best), _nearest(question, looked_at, found), by_states)


def logit(score: float) -> float:
    """A score as something that can be weighed: 0 where it is .5, and without end to both sides."""
    bounded = min(max(score, 1e-4), 1 - 1e-4)
    return math.log(bounded / (1 - bounded))


def _read(
    reranker: Reranker, question: Question, excerpts: Sequence[Excerpt]
) -> Sequence[Closeness]:
    """By their words in context, or just by their words where a document has no such states."""
    try:
        return reranker.read(question, excerpts)
    except RerankFailed:
        return lexical.read(question, excerpts)


def _sentences(
    question: Question, number: int, excerpt: Excerpt, closeness: Closeness
) -> Iterator[Sentence]:
    weights, spans = question.weights, closeness.spans
    own = by_sentence(terms(excerpt.text), spans)
    title = title_terms(excerpt)
    heads = headings(excerpt.text, spans)
    for at, span in enumerate(spans):
        text = excerpt.text[span.start : span.end].strip()
        # A heading or question only names what comes; its words count for what stands under it.
        if not own[at] or is_heading(text) or is_question(text):
            continue
        said = coverage(weights, own[at])
        around = coverage(weights, title.union(*own[max(0, at - 1) : at + 2]))
        there = own[at] | own[heads[at]] | title
        yield Sentence(
            number,
            span,
            text,
            closeness.values[at],
            said,
            around,
            alone=None,
            value=_value(closeness, at, said, around, excerpt.score),
            # What is there word for word is as near as can be, in whatever form.
            near={t: 1.0 if t in there else closeness.near[at].get(t, 0.0) for t in weights},
        )


def _value(closeness: Closeness, at: int, own: float, around: float, score: float) -> float:
    close = closeness.values[at]
    if closeness.by_states:
        return close + OWN * own + AROUND * around + SCORE * score
    told = BY_WORDS * close + BY_WORDS_OWN * own + BY_WORDS_AROUND * around
    return told + BY_WORDS_SCORE * logit(score)


def _with_alone(
    embed: Embed, question: Question, sentences: Sequence[Sentence]
) -> Iterator[Sentence]:
    embeddings = embed([sentence.text[:LONGEST] for sentence in sentences])
    for sentence, embedding in zip(sentences, embeddings, strict=True):
        alone = float(embedding.vector @ question.embedding.vector)
        yield replace(sentence, alone=alone, value=sentence.value + ALONE * alone)


def _nearest(
    question: Question, excerpts: Sequence[Excerpt], sentences: Sequence[Sentence]
) -> Mapping[str, float]:
    """How near anything read comes to each term: what is there word for word is as near as can
    be, in a heading as well."""
    there = {
        term
        for excerpt in excerpts
        for term in title_terms(excerpt).union(
            one.text for one in terms(excerpt.text, question.weights)
        )
    }
    return {
        term: 1.0 if term in there else max((one.near[term] for one in sentences), default=0.0)
        for term in question.weights
    }


def _order(sentence: Sentence) -> tuple[float, int, int]:
    """Best first, and equals always in the same order."""
    return -sentence.value, sentence.excerpt, sentence.span.start
