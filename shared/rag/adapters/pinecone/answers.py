"""The vendor's answers, read as what they must be: one that cannot be true is no answer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rag.adapters.pinecone.records import PASSAGES
from rag.model import Hit, Vector

# Vectors have unit length; float32 and the vendor's own arithmetic may be off by this much.
TOLERANCE = 0.01
# No chunk has as many.
MOST_PASSAGES = 10_000


class Unbelievable(Exception):
    """An answer that no index could give that holds what was written."""


def hits(answer: Any, most: int, highest: float) -> list[Hit]:
    """Record ids with their scores, best first, of which none can be beyond `highest`."""
    found = [Hit(str(match.id), float(match.score)) for match in answer.matches[:most]]
    limit = highest * (1 + TOLERANCE)
    if not all(math.isfinite(hit.value) and abs(hit.value) <= limit for hit in found):
        raise Unbelievable(f"a score is beyond {limit}")
    return found


def vector(record: Any, dimension: int) -> Vector:
    """The unit vector of a record."""
    found: Vector = np.asarray(record.values, np.float32)
    if found.shape != (dimension,) or not abs(np.linalg.norm(found) - 1) <= TOLERANCE:
        raise Unbelievable("a record has another vector than any that was written")
    return found


def passages(record: Any) -> int:
    """How many records there are of the entry whose first this is."""
    count = int(record.metadata[PASSAGES])
    if not 1 <= count <= MOST_PASSAGES:
        raise Unbelievable(f"an entry has {count} passages")
    return count


def maker(record: Any) -> tuple[str, int]:
    """The model that made the index, and its dimension."""
    return str(record.metadata["model"]), int(record.metadata["dimension"])


def dimension(stats: Any) -> int:
    """How many dimensions the index says that it has."""
    return int(stats.dimension)
