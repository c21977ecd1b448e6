"""BM25, written once, so that every index ranks words alike."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

K1 = 1.2
B = 0.75
MOST = K1 + 1  # what saturation approaches


def idf(matching: int, total: int) -> float:
    """How much a term tells: rare ones much, one that stands everywhere next to nothing."""
    return math.log(1 + (total - matching + 0.5) / (matching + 0.5))


def saturation(
    frequencies: NDArray[np.float32], lengths: NDArray[np.float32], mean_length: float
) -> NDArray[np.float32]:
    """What a term's frequency counts for in entries of these lengths, from 0 to MOST."""
    norm = np.float32(K1) * (np.float32(1 - B) + np.float32(B / mean_length) * lengths)
    share: NDArray[np.float32] = frequencies / (frequencies + norm)
    return np.float32(MOST) * share
