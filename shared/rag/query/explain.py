"""What the stages of a query have to tell of themselves, in JSON's types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rag.answering import Assembled, Evidence, Grounding, Said
from rag.model import Excerpt, Question
from rag.query.ground import DOUBTFUL, GOOD, HOPELESS, features
from rag.query.retrieve import Candidate
from rag.query.similar import repetitions


def candidates(question: Question, found: Sequence[Candidate]) -> Mapping[str, Any]:
    """All that either search brought in, with both values and which of them did."""
    return {
        "terms": dict(question.weights),
        "candidates": [
            {
                **_chunk(one),
                "foundBy": list(one.found_by),
                "cosine": one.cosine,
                "words": one.words,
                "fused": one.fused,
            }
            for one in found
        ],
    }


def order(excerpts: Sequence[Excerpt], least: float, most: int) -> Mapping[str, Any]:
    """The order with its scores, and what is not returned."""
    returned = [one for one in excerpts if one.score >= least][:most]
    return {
        "scores": [{**_chunk(one), "score": one.score} for one in excerpts],
        "belowMinScore": sum(one.score < least for one in excerpts),
        "beyondTopK": sum(one.score >= least for one in excerpts) - len(returned),
    }


def assembled(
    excerpts: Sequence[Excerpt], chosen: Sequence[Excerpt], prompt: Assembled
) -> Mapping[str, Any]:
    """What became of each excerpt: in the prompt, joined, the same as another, or no room."""
    kept = {one.ref for one in chosen}
    shown = {ref for piece in prompt.pieces for ref in piece.refs}
    repeated = {one: of for one, of in repetitions(excerpts).items() if one not in kept}
    return {
        "tokenCount": prompt.token_count,
        "pieces": [
            {
                "n": piece.n,
                "chunks": [str(ref) for ref in piece.refs],
                "start": piece.span.start,
                "end": piece.span.end,
                "score": piece.score,
            }
            for piece in prompt.pieces
        ],
        "repetitions": [{"chunk": str(one), "of": str(of)} for one, of in repeated.items()],
        "withoutRoom": [str(one.ref) for one in chosen if one.ref not in shown],
    }


def grounded(
    question: Question, excerpts: Sequence[Excerpt], evidence: Evidence, grounding: Grounding
) -> Mapping[str, Any]:
    """The sentences that may hold the answer, and what the verdict is made of."""
    best = evidence.sentences[:1]
    return {
        "outcome": grounding.outcome,
        "score": grounding.score,
        "thresholds": {"hopeless": HOPELESS, "doubtful": DOUBTFUL, "good": GOOD},
        "judgedBy": list(grounding.judged_by),
        "features": features(question, excerpts, best[0]) if best else {},
        "gaps": list(grounding.gaps),
        "sentences": [
            {
                **_chunk(excerpts[one.excerpt]),
                "text": one.text,
                "closeness": one.closeness,
                "own": one.own,
                "around": one.around,
                "alone": one.alone,
                "value": one.value,
            }
            for one in evidence.sentences
        ],
        "relevant": [str(excerpts[one].ref) for one in grounding.relevant],
    }


def answered(said: Sequence[Said]) -> Mapping[str, Any]:
    """Every sentence that was written, kept or not, and what speaks against it."""
    return {
        "sentences": [
            {
                "text": one.text.strip(),
                "kept": one.kept,
                "cites": [citation.n for citation in one.citations],
                "against": list(one.reasons),
            }
            for one in said
        ]
    }


def _chunk(one: Candidate | Excerpt) -> dict[str, Any]:
    return {
        "chunk": str(one.ref),
        "documentId": one.document.id,
        "title": one.document.title,
    }
