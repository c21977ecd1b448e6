"""Which reranker a search gets."""

from __future__ import annotations

from rag.errors import Invalid
from rag.ports import Reranker
from rag.query.lexical import LexicalReranker


def chosen(own: Reranker, wanted: str | None) -> Reranker:
    """The deployment's own, or the one by words that every deployment has. Raises Invalid."""
    if wanted in (None, own.name):
        return own
    if wanted == LexicalReranker.name:
        return LexicalReranker()
    names = " or ".join(dict.fromkeys([own.name, LexicalReranker.name]))
    raise Invalid("rerankModel", f"rerankModel must be {names}")
