"""References to the very words: what they are, and where they stand."""

from __future__ import annotations

from collections.abc import Iterable

from rag.answering import Citation, Piece
from rag.model import Mark, Span, mark_at


def cited(piece: Piece, span: Span, answer: Span | None = None) -> Citation:
    """The words of a piece at `span`, as a reference into its document."""
    start = piece.span.start + span.start
    place = mark_at(piece.marks, start) if piece.marks else Mark(0)
    return Citation(
        n=piece.n,
        document=piece.document,
        span=Span(start, piece.span.start + span.end),
        quote=piece.text[span.start : span.end],
        page=place.page,
        section=place.section,
        answer=answer,
    )


def citations(pieces: Iterable[Piece]) -> list[Citation]:
    """Every piece of a prompt as a reference."""
    return [cited(piece, Span(0, len(piece.text))) for piece in pieces]
