"""Measures of rankings and of probabilities."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np


def first(ranking: Sequence[str], relevant: Mapping[str, int]) -> float:
    """Precision at 1: whether the very first is relevant."""
    return float(any(id in relevant for id in ranking[:1]))


def ndcg(ranking: Sequence[str], relevant: Mapping[str, int], depth: int = 10) -> float:
    """Normalised discounted cumulative gain of the first `depth`."""
    gains = [relevant.get(id, 0) for id in ranking[:depth]]
    ideal = sorted(relevant.values(), reverse=True)[:depth]
    return _discounted(gains) / _discounted(ideal)


def recall(ranking: Sequence[str], relevant: Mapping[str, int], depth: int = 10) -> float:
    """The share of what is relevant that is among the first `depth`."""
    return sum(id in relevant for id in ranking[:depth]) / len(relevant)


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """How often a positive scores above a negative; ties count half."""
    values = np.array([*positive, *negative])
    ordered = np.sort(values)
    ranks = (np.searchsorted(ordered, values) + np.searchsorted(ordered, values, "right") + 1) / 2
    above = ranks[: len(positive)].sum() - len(positive) * (len(positive) + 1) / 2
    return float(above / (len(positive) * len(negative)))


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))
