"""Cuts what is to be embedded into requests that the vendor takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

# The vendor takes 2,048 texts and 300,000 tokens; its count may differ a little from ours.
MOST_TEXTS = 2048
MOST_TOKENS = 250_000
# Fewer texts would cost more in their round trip than they gain by running beside others.
FEWEST_TEXTS = 16


def batches(lengths: Sequence[int], lanes: int) -> Iterator[range]:
    """Ranges of texts, in order, by their lengths in tokens: enough of them for every lane."""
    most = min(MOST_TEXTS, max(FEWEST_TEXTS, ceil(len(lengths) / lanes)))
    start = tokens = 0
    for at, length in enumerate(lengths):
        if at > start and (at - start == most or tokens + length > MOST_TOKENS):
            yield range(start, at)
            start, tokens = at, 0
        tokens += length
    if lengths:
        yield range(start, len(lengths))
