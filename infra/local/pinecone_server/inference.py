"""Stands in for the vendor's reranker: the share of the question's words that a document has."""

from __future__ import annotations

from typing import Any

from infra.local.pinecone_server.faults import Refused
from rag.terms import terms

MOST_DOCUMENTS = 100


def rerank(body: dict[str, Any]) -> dict[str, Any]:
    """The documents' places and scores, best first."""
    documents, query = body.get("documents") or [], body.get("query")
    if not query or not 1 <= len(documents) <= MOST_DOCUMENTS:
        raise Refused(400, f"Rerank needs a query and 1 to {MOST_DOCUMENTS} documents")
    asked = _words(query)
    (field, *_) = body.get("rank_fields") or ["text"]
    scores = [len(asked & _words(one[field])) / max(len(asked), 1) for one in documents]
    best = sorted(range(len(scores)), key=lambda index: -scores[index])
    return {
        "model": body.get("model"),
        "data": [{"index": index, "score": scores[index]} for index in best[: body.get("top_n")]],
        "usage": {"rerank_units": 1},
    }


def _words(text: str) -> set[str]:
    return {term.text for term in terms(text)}
