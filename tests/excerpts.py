"""Excerpts of made-up documents, as a search would return them."""

from __future__ import annotations

from collections.abc import Sequence

from rag.model import Chunk, ChunkRef, Document, Excerpt, Mark, Span, StoredChunk


def document(id: str = "d", title: str = "T") -> Document:
    return Document(id, "v", "h", "h", "default", "s", f"/{id}", title, (), "{}", 1, "", "")


def excerpt(
    text: str,
    title: str = "T",
    *,
    id: str = "d",
    index: int = 0,
    start: int = 0,
    score: float = 0.5,
    marks: tuple[Mark, ...] = (),
    context: str = "",
) -> Excerpt:
    chunk = Chunk(index, start, start + len(text), text, marks, context)
    stored = StoredChunk(chunk, (Span(0, len(text)),), ())
    return Excerpt(ChunkRef(id, "v", index), document(id, title), stored, score)


def windows(
    text: str, size: int, overlap: int, scores: Sequence[float], **more: str
) -> list[Excerpt]:
    """The text cut into chunks that share `overlap` characters, with these scores in turn."""
    starts = range(0, max(1, len(text) - overlap), size - overlap)
    return [
        excerpt(text[at : at + size], index=n, start=at, score=scores[n % len(scores)], **more)
        for n, at in enumerate(starts)
    ]
