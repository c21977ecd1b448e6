"""Where in its file an excerpt is: a chunk may go over several pages and sections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rag.model import Excerpt, Found, Mark, mark_at
from rag.sentences import sentences
from rag.terms import terms


def placed(found: Found) -> Found:
    """What was found, each with the place that the question is about."""
    weights = found.question.weights
    return replace(
        found, excerpts=tuple(replace(one, place=_place(weights, one)) for one in found.excerpts)
    )


def _place(weights: Mapping[str, float], excerpt: Excerpt) -> Mark | None:
    """That of the sentence which holds most of the question, with the headings over it."""
    chunk = excerpt.stored.chunk
    if len({(mark.page, mark.section) for mark in chunk.marks}) < 2:
        return chunk.marks[0] if chunk.marks else None
    headings = {mark.section: _asked(weights, "\n".join(mark.section)) for mark in chunk.marks}
    asked = terms(chunk.text, weights)
    best, most = chunk.marks[0], 0.0
    for span in sentences(chunk.text):
        said = {term.text for term in asked if span.start <= term.span.start < span.end}
        if said:
            mark = mark_at(chunk.marks, chunk.start + span.start)
            weight = sum(weights[term] for term in said | headings[mark.section])
            if weight > most:
                best, most = mark, weight
    return best


def _asked(weights: Mapping[str, float], text: str) -> set[str]:
    return {term.text for term in terms(text, weights)}
