"""Late interaction: every word of a question against every word of a sentence.

The word states were made when the document was ingested; a question costs a few milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag.adapters.embedded.minilm.states import States, nearest, unpack
from rag.answering import Closeness
from rag.errors import RerankFailed
from rag.ingest.embed import header
from rag.model import Excerpt, Question, Span, Vector
from rag.query.lexical import LexicalReranker
from rag.sentences import headings, sentences

# What the question's own words, in a sentence and side by side, weigh beside closeness.
LEXICAL = 0.27


@dataclass(frozen=True, slots=True)
class Reading:
    """The sentences of an excerpt, and how close each comes to the question: with the words of
    the heading that it stands under, and with those of the document's title as well."""

    spans: list[Span]
    headed: Vector
    titled: Vector
    asked: States  # the words of the question
    near: Vector  # how near each sentence (columns) with heading and title comes to each of them


class LateInteraction:
    """Reranks by the sentence that comes closest to the question, and by the very words."""

    name = "late-interaction"

    def rerank(self, question: Question, excerpts: Sequence[Excerpt]) -> list[float]:
        closest = [float(reading.titled.max(initial=-1)) for reading in read(question, excerpts)]
        told = LexicalReranker().rerank(question, excerpts)
        return [close + LEXICAL * words for close, words in zip(closest, told, strict=True)]

    def read(self, question: Question, excerpts: Sequence[Excerpt]) -> list[Closeness]:
        return [
            Closeness(
                tuple(reading.spans),
                tuple(reading.headed.tolist()),
                _by_term(question, reading),
                by_states=True,
            )
            for reading in read(question, excerpts)
        ]


def read(question: Question, excerpts: Sequence[Excerpt]) -> list[Reading]:
    """Compare the question with every sentence of the excerpts, all at once."""
    if question.embedding.states is None or not all(one.stored.states for one in excerpts):
        raise RerankFailed("The question or a document was embedded without word states.")
    query = unpack(question.embedding.states)
    weights = _weights(question, query)
    parts = [_words(excerpt) for excerpt in excerpts]
    near = nearest(query, [part.states for part in parts], [part.ends for part in parts])
    readings = []
    for part, of_part in zip(parts, near, strict=True):
        of_title, alone = of_part[:, :1], of_part[:, 1:]
        headed = np.maximum(alone, alone[:, part.headings])
        titled = np.maximum(headed, of_title)
        readings.append(Reading(part.spans, weights @ headed, weights @ titled, query, titled))
    return readings


def _weights(question: Question, words: States) -> Vector:
    """How much each word of the question tells: the weight of the term that begins there."""
    # Of two terms that begin at one place, such as gpt and gpt4, the first is the word itself.
    by_start = {term.span.start: question.weights[term.text] for term in reversed(question.terms)}
    told = [by_start.get(int(start), 0.0) for start in words["start"]]
    weights: Vector = np.array(told if any(told) else [1.0] * len(words), np.float32)
    weights /= max(float(weights.sum()), 1e-9)
    return weights


def _by_term(question: Question, reading: Reading) -> tuple[dict[str, float], ...]:
    """Of each sentence, how near it comes to the words that begin the question's terms."""
    row_at = {int(start): row for row, start in enumerate(reading.asked["start"])}
    rows: dict[str, list[int]] = {}
    for term in question.terms:
        if term.span.start in row_at:
            rows.setdefault(term.text, []).append(row_at[term.span.start])
    near = [reading.near[of_term].max(axis=0).tolist() for of_term in rows.values()]
    # Without a term there is nothing to be near to, for each of the sentences.
    columns = zip(*near, strict=True) if near else [()] * len(reading.spans)
    return tuple(dict(zip(rows, column, strict=True)) for column in columns)


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of an excerpt: those of its title, then those of its sentences."""

    states: States
    spans: list[Span]  # the sentences
    headings: list[int]  # the sentence that heads each sentence; itself where there is none
    ends: NDArray[np.int64]  # where the words of the title end, and those of each sentence


def _words(excerpt: Excerpt) -> _Words:
    body = len(header(excerpt.document.title, excerpt.stored.chunk.context)) + 1
    windows = [unpack(states) for states in excerpt.stored.states]
    title = windows[0][windows[0]["start"] < body]
    texts = [words[words["start"] >= body] for words in windows]
    starts = np.concatenate(
        [
            words["start"].astype(np.int64) - body + span.start
            for words, span in zip(texts, excerpt.stored.passages, strict=True)
        ]
    )
    spans = sentences(excerpt.text)
    ends = np.searchsorted(starts, [0, *(span.end for span in spans)]) + len(title)
    return _Words(np.concatenate([title, *texts]), spans, headings(excerpt.text, spans), ends)
