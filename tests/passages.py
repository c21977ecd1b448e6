"""Excerpts of made-up documents, as a search would return them."""

from __future__ import annotations

from collections.abc import Sequence

from rag.answering import Grounding, Outcome, Sentence
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


def sentence(
    excerpts: Sequence[Excerpt], text: str, closeness: float = 0.7, own: float = 0.5
) -> Sentence:
    """A sentence of the first excerpt that has it, as evidence."""
    n = next(n for n, one in enumerate(excerpts) if text in one.text)
    start = excerpts[n].text.index(text)
    span = Span(start, start + len(text))
    return Sentence(n, span, text, closeness, own, own, closeness, closeness)


def grounding(
    *sentences: Sentence, outcome: Outcome = "answer", gaps: tuple[str, ...] = ()
) -> Grounding:
    return Grounding(outcome, 0.8, (0,), gaps, sentences)
