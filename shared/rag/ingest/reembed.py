"""An index and the one model that it was made by."""

from __future__ import annotations

from collections.abc import Iterator

from rag.errors import IndexMismatch
from rag.ingest.embed import embed
from rag.ingest.index import entries
from rag.model import Document
from rag.ports import Embedder, Index
from rag.stores.documents import Documents

# Stands in for the model until the work is done, so that nobody takes half an index for a whole.
UNFINISHED = "an unfinished re-embedding"


def check_maker(index: Index, embedder: Embedder) -> None:
    """Claim a new index for the model. Raises IndexMismatch for one that another model made."""
    made_by, ours = index.maker(), (embedder.model, embedder.dimension)
    if made_by is None:
        index.claim(*ours)
    elif made_by != ours:
        raise IndexMismatch(
            f"The index was made by {made_by[0]} ({made_by[1]} dimensions), but the embedding model"
            f" is now {ours[0]} ({ours[1]}). Stop the server and run `make reembed` to embed all"
            " documents again, or configure the former model."
        )


def reembed(documents: Documents, index: Index, embedder: Embedder) -> Iterator[Document]:
    """Make the whole index anew from the stored chunks; yields each document when it is done."""
    index.claim(UNFINISHED, embedder.dimension)
    index.clear()
    for org in documents.orgs():
        for document in documents.all(org):
            stored = documents.version(org, document.id, document.version)
            chunks = embed(embedder, document.title, [one.chunk for one in stored], known={})
            documents.restate(org, document, chunks)
            index.upsert(org, entries(document, chunks))
            documents.updated(org, document)
            yield document
    index.claim(embedder.model, embedder.dimension)
