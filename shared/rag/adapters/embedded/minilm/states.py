"""Word states: what the model made of each content word in its context, in 48 bytes.

A state is kept as the signs of its coordinates: the share of them in which two states differ
tells the angle between the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rag.adapters.embedded.minilm.encoder import WIDTH
from rag.model import Span, Vector

PARTS = WIDTH // 64
WORD = np.dtype([("bits", "<u8", PARTS), ("start", "<u4"), ("length", "u1")])

# By the number of signs in which two states differ.
COSINES = np.cos(np.arange(WIDTH + 1, dtype=np.float32) * np.float32(np.pi / WIDTH))

# One record of the type WORD for each word.
States: TypeAlias = NDArray[Any]


def pack(states: Vector, spans: Sequence[Span]) -> bytes:
    """Word states [n, 384], of any length, and where each word stands in its text."""
    words = np.zeros(len(spans), WORD)
    if spans:
        words["bits"] = np.packbits(states > 0, axis=1).view("<u8")
        words["start"] = [span.start for span in spans]
        words["length"] = [min(span.end - span.start, 255) for span in spans]
    return words.tobytes()


def unpack(packed: bytes) -> States:
    """The words of a text in order: fields `bits`, `start` and `length`."""
    return np.frombuffer(packed, WORD)


def similarities(query: States, words: States) -> Vector:
    """The cosine of each word of the query with each of the others."""
    differing = np.zeros((len(query), len(words)), np.uint16)
    for part in range(PARTS):
        differing += np.bitwise_count(query["bits"][:, part, None] ^ words["bits"][None, :, part])
    cosines: Vector = COSINES[differing]
    return cosines
