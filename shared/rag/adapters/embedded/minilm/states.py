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


def nearest(
    query: States, texts: Sequence[States], ends: Sequence[NDArray[np.int64]]
) -> list[Vector]:
    """For each text a matrix: how near the nearest word of each of its parts, which end where
    `ends` says, comes to each word of the query, as a cosine; -1 for a part without words."""
    if not texts:
        return []
    lengths = np.array([len(text) for text in texts])
    firsts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    lasts = np.concatenate([first + of_text for first, of_text in zip(firsts, ends, strict=True)])
    begins = np.concatenate([[0], lasts[:-1]])
    filled = lasts > begins
    fewest = np.full((len(query), len(lasts)), WIDTH, np.uint16)
    if filled.any():
        differing = _differing(query, np.concatenate(texts))
        fewest[:, filled] = np.minimum.reduceat(differing, begins[filled], axis=1)
    return np.split(COSINES[fewest], np.cumsum([len(of_text) for of_text in ends])[:-1], axis=1)


def _differing(query: States, words: States) -> NDArray[np.uint16]:
    """In how many signs each word of the query and each of the others differ."""
    count = np.zeros((len(query), len(words)), np.uint16)
    for part in range(PARTS):
        count += np.bitwise_count(query["bits"][:, part, None] ^ words["bits"][None, :, part])
    return count
