"""Questions and excerpts as the embedded model makes them, without a store."""

from __future__ import annotations

from rag.adapters.embedded.minilm.embedder import MiniLM
from rag.ingest.embed import header
from rag.model import Chunk, ChunkRef, Document, Excerpt, Question, Span, StoredChunk
from rag.query.bm25 import idf
from rag.terms import terms


def asked(minilm: MiniLM, text: str) -> Question:
    """A question to everyday English."""
    words = tuple(terms(text))
    weights = {term.text: idf(term.text, 0, 0) for term in words}
    return Question(text, words, weights, minilm.embed([text])[0], 100)


def excerpt(
    minilm: MiniLM, title: str, text: str, *, score: float = 0.8, context: str = ""
) -> Excerpt:
    """A document of one chunk."""
    states = minilm.embed([f"{header(title, context)}\n{text}"])[0].states
    stored = StoredChunk(
        Chunk(0, 0, len(text), text, context=context),
        (Span(0, len(text)),),
        (states,) if states else (),
    )
    document = Document(title, "v", "", "", "", "", title, title, (), "{}", 1, "", "")
    return Excerpt(ChunkRef(title, "v", 0), document, stored, score)
