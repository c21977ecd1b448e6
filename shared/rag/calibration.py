"""One calibrated relevance from 0 to 1: it decides the order, and thresholds compare with it.

Everything is absolute, nothing relative to the other hits of a query, so that a score means the
same for every question.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

FULL_TERMS = 4


@dataclass(frozen=True, slots=True)
class Scale:
    """Where a value stands between irrelevant and relevant."""

    slope: float
    middle: float
    per_decade: float  # the larger a corpus, the better its best irrelevant hit

    def score(self, value: float, total: int) -> float:
        """The relevance that a value means among `total` chunks."""
        middle = self.middle + self.per_decade * math.log10(max(total, 1))
        return 1 / (1 + math.exp(-self.slope * (value - middle)))


@dataclass(frozen=True, slots=True)
class Calibration:
    """What the values of one embedding model mean, before and after its reranker has looked."""

    fused: Scale
    reranked: Scale
    sure_slope: float  # how sure the first search is of a hit with so much cosine and words
    sure_middle: float
    closeness: float  # what closeness weighs beside cosine and words
    words: float  # what words still count for beside closeness, which knows of them too
    likely_closeness: tuple[float, float]  # of a chunk with this fused value: base and slope

    def sureness(self, value: float) -> float:
        """How far a hit of the first search is to be trusted, from 0 to 1."""
        return 1 / (1 + math.exp(-self.sure_slope * (value - self.sure_middle)))

    def joined(self, cosine: float, words: float, closeness: float, terms: int) -> float:
        """All values in one. A sentence cannot come close to a question of many terms: beyond
        FULL_TERMS, closeness gives way to what is likely for a chunk with this fused value."""
        share = min(1.0, FULL_TERMS / max(terms, 1))
        base, slope = self.likely_closeness
        likely = base + slope * (cosine + words)
        told = words * (share * self.words + 1 - share)
        return cosine + told + self.closeness * (share * closeness + (1 - share) * likely)
