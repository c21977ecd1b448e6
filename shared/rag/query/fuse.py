"""Meaning and words in one order, after a second look from where the best hits are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rag.calibration import Calibration
from rag.model import Vector
from rag.ports import Index
from rag.query.retrieve import Candidate

# So many of the best hits draw the question towards themselves.
GUIDES = 3


def fuse(
    index: Index,
    org: str,
    question: Vector,
    candidates: Sequence[Candidate],
    calibration: Calibration,
    depth: int,
) -> list[Candidate]:
    """The best candidates, their cosines seen from the question as its best hits have moved it."""
    best = _ordered(candidates)[:depth]
    vectors = index.vectors(org, [str(one.ref) for one in best])
    known = [(one, np.stack(vectors[str(one.ref)])) for one in best if str(one.ref) in vectors]
    moved = question.copy()
    for one, passages in known[:GUIDES]:
        # In proportion to how sure we are: an unrelated question stays where it is.
        pull = np.float32(calibration.sureness(one.fused) / GUIDES)
        moved += pull * passages[np.argmax(passages @ question)]
    moved /= np.linalg.norm(moved)
    return _ordered(
        [replace(one, cosine=float((passages @ moved).max())) for one, passages in known]
    )


def _ordered(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Best first, and equals always in the same order."""
    return sorted(candidates, key=lambda one: (-one.fused, str(one.ref)))
