"""BM25, written once, so that every index ranks words alike."""

from __future__ import annotations

import math
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

K1 = 1.2
B = 0.75
MOST = K1 + 1  # what saturation approaches

# Every corpus is taken to have so many documents of everyday English beside its own, so that
# in a corpus of three documents "time" still tells less than "quark".
EVERYDAY_DOCUMENTS = 100
UNHEARD_OF = 0.001


def idf(term: str, matching: int, total: int) -> float:
    """How much a term tells that `matching` of `total` entries have: rare ones much."""
    total += EVERYDAY_DOCUMENTS
    having = matching + EVERYDAY_DOCUMENTS * everyday_share(term)
    return math.log(1 + (total - having + 0.5) / (having + 0.5))


def saturation(
    frequencies: NDArray[np.float32], lengths: NDArray[np.float32], mean_length: float
) -> NDArray[np.float32]:
    """What a term's frequency counts for in entries of these lengths, from 0 to MOST."""
    norm = K1 * (1 - B + B * lengths / mean_length)
    return (MOST * frequencies / (frequencies + norm)).astype(np.float32)


def everyday_share(term: str) -> float:
    """The share of everyday texts that have the term: its rank among all, by Zipf's law."""
    rank = _ranks().get(term)
    return UNHEARD_OF if rank is None else 10 / (rank + 40)


@cache
def _ranks() -> dict[str, int]:
    stems = files(__package__).joinpath("frequent_stems.txt").read_text("utf-8").split()
    return {stem: rank for rank, stem in enumerate(stems, 1)}
