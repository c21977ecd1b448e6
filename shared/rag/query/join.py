"""Neighbouring chunks of a document into one piece, without what both of them have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rag.answering import Piece
from rag.model import Chunk, Excerpt, Mark, Span


def joined(excerpts: Sequence[Excerpt]) -> list[Piece]:
    """The excerpts as numbered pieces, the most relevant first; each is one slice of a document."""
    order = {excerpt.ref: place for place, excerpt in enumerate(excerpts)}
    runs = sorted(
        _runs(excerpts),
        key=lambda run: (-max(one.score for one in run), min(order[one.ref] for one in run)),
    )
    return [_piece(n, run) for n, run in enumerate(runs, 1)]


def apart(excerpts: Sequence[Excerpt]) -> list[Piece]:
    """The excerpts as numbered pieces, each by itself, in their order."""
    return [_piece(n, [excerpt]) for n, excerpt in enumerate(excerpts, 1)]


def touch(one: Excerpt, other: Excerpt) -> bool:
    """Whether they are neighbours with nothing between them."""
    first, second = sorted((one.stored.chunk, other.stored.chunk), key=lambda chunk: chunk.index)
    return (
        (one.ref.document, one.ref.version) == (other.ref.document, other.ref.version)
        and second.index == first.index + 1
        and first.start <= second.start <= first.end
    )


def _runs(excerpts: Iterable[Excerpt]) -> list[list[Excerpt]]:
    in_reading_order = sorted(
        excerpts, key=lambda one: (one.ref.document, one.ref.version, one.stored.chunk.index)
    )
    runs: list[list[Excerpt]] = []
    for excerpt in in_reading_order:
        if runs and touch(runs[-1][-1], excerpt):
            runs[-1].append(excerpt)
        else:
            runs.append([excerpt])
    return runs


def _piece(n: int, run: Sequence[Excerpt]) -> Piece:
    first = run[0].stored.chunk
    text, end, marks = "", first.start, list[Mark]()
    for excerpt in run:
        chunk = excerpt.stored.chunk
        text += chunk.text[end - chunk.start :]
        end = max(end, chunk.end)
        marks += _further(marks, chunk)
    return Piece(
        n=n,
        document=run[0].document,
        refs=tuple(excerpt.ref for excerpt in run),
        span=Span(first.start, end),
        text=text,
        score=max(excerpt.score for excerpt in run),
        marks=tuple(marks),
        context=first.context,
    )


def _further(marks: Sequence[Mark], chunk: Chunk) -> Iterable[Mark]:
    return chunk.marks if not marks else (m for m in chunk.marks if m.start > marks[-1].start)
