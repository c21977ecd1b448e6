"""Candidates into excerpts: read, looked at more closely, and given their score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag.calibration import Calibration
from rag.model import Excerpt, Question
from rag.ports import Reranker
from rag.query.retrieve import Candidate
from rag.stores.documents import Documents

# How many of the best candidates are looked at.
DEPTH = 50


def read(
    documents: Documents,
    org: str,
    question: Question,
    candidates: Sequence[Candidate],
    calibration: Calibration,
) -> list[tuple[Candidate, Excerpt]]:
    """The candidates with their texts, in their order, scored as they are."""
    texts = documents.chunks(org, [one.ref for one in candidates])

    def excerpt(one: Candidate) -> Excerpt:
        score = calibration.fused.score(one.fused, question.total)
        return Excerpt(one.ref, one.document, texts[one.ref], score)

    return [(one, excerpt(one)) for one in candidates if one.ref in texts]


def rerank(
    reranker: Reranker,
    question: Question,
    found: Sequence[tuple[Candidate, Excerpt]],
    calibration: Calibration,
) -> list[Excerpt]:
    """The excerpts by how close they come to the question. Raises RerankFailed."""
    closeness = reranker.rerank(question, [excerpt for _, excerpt in found])

    def score(one: Candidate, close: float) -> float:
        value = calibration.joined(one.cosine, one.words, close, terms=len(question.weights))
        return calibration.reranked.score(value, question.total)

    scored = [
        replace(excerpt, score=score(one, close))
        for (one, excerpt), close in zip(found, closeness, strict=True)
    ]
    return sorted(scored, key=lambda excerpt: (-excerpt.score, str(excerpt.ref)))
