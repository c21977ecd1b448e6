"""One namespace of the index in memory: a matrix of vectors and who they belong to."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rag.adapters.embedded.index.tables import Row
from rag.model import FieldValue, Vector, Where

# Below this share of admitted rows, copying them out is cheaper than scoring every row.
GATHER_BELOW = 0.5
SMALLEST = 256
EMPTY = array("q")

Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True, slots=True)
class View:
    """A shard at one moment, as a filter admits it: safe to search while the shard grows."""

    ids: list[str]
    seqs: NDArray[np.int64]
    lengths: NDArray[np.float32]
    admitted: NDArray[np.bool_]
    matrix: NDArray[np.float32]
    owners: NDArray[np.int64]  # the entry of each row of the matrix, rising
    most_vectors: int  # the most rows that one entry has

    def positions(self, seqs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where the entries of these sequence numbers stand; -1 for one not admitted here."""
        return _where(self.seqs, seqs, self.admitted)

    def nearest(self, vector: Vector, limit: int) -> list[tuple[int, float]]:
        """The entries whose best vector has the highest cosine, best first."""
        rows = np.flatnonzero(self.admitted[self.owners])
        if len(rows) < GATHER_BELOW * len(self.matrix):
            similar = self.matrix[rows] @ vector
        else:
            similar = (self.matrix @ vector)[rows]
        best: dict[int, float] = {}
        for row, value in highest(similar, limit * self.most_vectors):
            best.setdefault(int(self.owners[rows[row]]), value)
        return list(best.items())[:limit]


class Shard:
    """Grows at the end; removed entries are masked, and squeezed out once they are the half."""

    def __init__(self, dimension: int) -> None:
        self.entries_seen = 0
        self._ids: list[str] = []
        self._fields: list[dict[str, FieldValue]] = []
        self._holders: defaultdict[tuple[str, str], array[int]] = defaultdict(_positions)
        self._seqs: NDArray[np.int64] = np.empty(SMALLEST, np.int64)
        self._lengths: NDArray[np.float32] = np.empty(SMALLEST, np.float32)
        self._alive: NDArray[np.bool_] = np.zeros(SMALLEST, np.bool_)
        self._rows = 0
        self._matrix: NDArray[np.float32] = np.empty((SMALLEST, dimension), np.float32)
        self._owners: NDArray[np.int64] = np.empty(SMALLEST, np.int64)
        self._most_vectors = 1

    def append(self, rows: Sequence[Row]) -> None:
        """Add entries, in rising order of sequence number."""
        if not rows:
            return
        vectors = np.concatenate([row.vectors for row in rows])
        per_entry = [len(row.vectors) for row in rows]
        first, last = len(self._ids), len(self._ids) + len(rows)
        first_row, last_row = self._rows, self._rows + len(vectors)

        self._seqs = _room_for(self._seqs, last)
        self._lengths = _room_for(self._lengths, last)
        self._alive = _room_for(self._alive, last)
        self._matrix = _room_for(self._matrix, last_row)
        self._owners = _room_for(self._owners, last_row)

        self._seqs[first:last] = [row.seq for row in rows]
        self._lengths[first:last] = [row.length for row in rows]
        self._alive[first:last] = True
        self._matrix[first_row:last_row] = vectors
        self._owners[first_row:last_row] = np.repeat(np.arange(first, last), per_entry)
        self._rows = last_row
        self._most_vectors = max(self._most_vectors, *per_entry)
        self._ids += [row.id for row in rows]
        self._hold([row.fields for row in rows])

    def remove(self, seqs: NDArray[np.int64]) -> None:
        """Forget those of the entries that are here."""
        count = len(self._ids)
        positions = _where(self._seqs[:count], seqs, self._alive[:count])
        self._alive[positions[positions >= 0]] = False
        if count > SMALLEST and self._alive[:count].mean() < 0.5:
            self._squeeze()

    def view(self, where: Where) -> View:
        """What there is now, with the entries marked that pass the filter."""
        count = len(self._ids)
        admitted = self._alive[:count].copy()
        for condition in where:
            passing = np.zeros(count, np.bool_)
            for value in condition.values:
                holders = self._holders.get((condition.field, value), EMPTY)
                passing[np.frombuffer(holders, np.int64)] = True
            admitted &= passing
        return View(
            self._ids,
            self._seqs[:count],
            self._lengths[:count],
            admitted,
            self._matrix[: self._rows],
            self._owners[: self._rows],
            self._most_vectors,
        )

    def _hold(self, fields: Sequence[dict[str, FieldValue]]) -> None:
        for position, entry in enumerate(fields, len(self._fields)):
            for name, value in entry.items():
                for one in (value,) if isinstance(value, str) else value:
                    self._holders[name, one].append(position)
        self._fields += fields

    def _squeeze(self) -> None:
        """Make new arrays of what is alive: the old ones may be in a view."""
        alive = self._alive[: len(self._ids)]
        kept = np.flatnonzero(alive)
        owners = self._owners[: self._rows]
        rows = alive[owners]
        fields = [self._fields[position] for position in kept]
        self._ids = [self._ids[position] for position in kept]
        self._seqs, self._lengths = self._seqs[kept], self._lengths[kept]
        self._matrix = self._matrix[: self._rows][rows]
        self._owners = (np.cumsum(alive) - 1)[owners[rows]]
        self._rows = len(self._matrix)
        self._alive = np.ones(len(kept), np.bool_)
        self._fields, self._holders = [], defaultdict(_positions)
        self._hold(fields)


def _positions() -> array[int]:
    return array("q")


def highest(values: NDArray[np.float32], limit: int) -> list[tuple[int, float]]:
    """The positions of the highest finite values, best first; ties in the order of position."""
    if limit < len(values):
        # All that reach the last admitted value, so that ties do not depend on the partition.
        floor = np.partition(values, len(values) - limit)[len(values) - limit]
        candidates = np.flatnonzero(values >= floor)
    else:
        candidates = np.arange(len(values))
    candidates = candidates[np.isfinite(values[candidates])]
    ordered = candidates[np.argsort(-values[candidates], kind="stable")][:limit]
    return [(int(position), float(values[position])) for position in ordered]


def _where(
    known: NDArray[np.int64], wanted: NDArray[np.int64], mask: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """The positions in `known`, which rises, of the wanted values under the mask; -1 for others."""
    if not len(known):
        return np.full(len(wanted), -1)
    at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.where((known[at] == wanted) & mask[at], at, -1)


def _room_for(array: NDArray[Scalar], wanted: int) -> NDArray[Scalar]:
    """The array, or a larger copy: views keep the old one."""
    if wanted <= len(array):
        return array
    larger = np.empty((max(wanted, len(array) * 2), *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger
