"""Chunks into passages: each as long as the model can take, under the title of its document and
the header of the table that it is from."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from rag import timing
from rag.model import Chunk, EmbeddedChunk, Embedding, Passage, Span
from rag.ports import Embedder

# Between two batches the request's time is looked at.
BATCH = 64
# They help to place a passage; more of them than this would crowd out the passage itself.
LONGEST_TITLE = 120
LONGEST_TITLE_IN_CONTEXT, LONGEST_CONTEXT = 60, 130


def header(title: str, context: str) -> str:
    """What is put before every passage of a chunk in this context, of a document of this title."""
    if not context:
        return _cut(title, LONGEST_TITLE)
    return f"{_cut(title, LONGEST_TITLE_IN_CONTEXT)}\n{_cut(context, LONGEST_CONTEXT)}"


def passage_text(title: str, chunk: Chunk, span: Span) -> str:
    """The text that is embedded for a passage."""
    return f"{header(title, chunk.context)}\n{chunk.text[span.start : span.end]}"


def _cut(text: str, most: int) -> str:
    # Decomposed, since that is how models take text apart: a Korean syllable is up to three signs.
    cut = text[:most]
    while len(unicodedata.normalize("NFD", cut)) > most:
        cut = cut[:-1]
    return cut.strip()


def embed(
    embedder: Embedder, title: str, chunks: Sequence[Chunk], known: Mapping[str, Embedding]
) -> list[EmbeddedChunk]:
    """Embed every passage of the chunks; those whose text is `known` are not computed again."""
    spans = []
    for chunk in chunks:
        timing.check()
        spans.append(embedder.windows(chunk.text, header(title, chunk.context)))
    texts = [
        passage_text(title, chunk, span)
        for chunk, pieces in zip(chunks, spans, strict=True)
        for span in pieces
    ]
    embeddings = {**known, **_computed(embedder, (text for text in texts if text not in known))}
    of_text = iter(texts)
    return [
        EmbeddedChunk(chunk, tuple(Passage(span, embeddings[next(of_text)]) for span in pieces))
        for chunk, pieces in zip(chunks, spans, strict=True)
    ]


def _computed(embedder: Embedder, texts: Iterable[str]) -> dict[str, Embedding]:
    missing = list(dict.fromkeys(texts))
    found: dict[str, Embedding] = {}
    for first in range(0, len(missing), BATCH):
        timing.check()
        batch = missing[first : first + BATCH]
        found.update(zip(batch, embedder.embed(batch), strict=True))
    return found
