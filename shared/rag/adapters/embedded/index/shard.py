"""One namespace of the index in memory: a matrix of vectors and who they belong to."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from rag.adapters.embedded.index.tables import Row
from rag.model import Bound, Condition, FieldValue, Vector, Where

# Below this share of admitted rows, copying them out is cheaper than scoring every row.
GATHER_BELOW = 0.5
SMALLEST = 256
EMPTY = array("q")
COMPARE: Final[dict[str, Callable[[Any, float], NDArray[np.bool_]]]] = {
    "gt": np.greater,
    "gte": np.greater_equal,
    "lt": np.less,
    "lte": np.less_equal,
}

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
        # Row by row: a product of matrices rounds a row by how many are beside it, so that what
        # a caller may not see would change the last digit of a score.
        if len(rows) < GATHER_BELOW * len(self.matrix):
            similar = np.vecdot(self.matrix[rows], vector)
        else:
            similar = np.vecdot(self.matrix, vector)[rows]
        best: dict[int, float] = {}
        for row, value in highest(similar, limit * self.most_vectors):
            best.setdefault(int(self.owners[rows[row]]), value)
        return list(best.items())[:limit]


@dataclass(slots=True)
class Numbers:
    """The entries that have a number in some field, and the number of each."""

    positions: array[int] = field(default_factory=lambda: array("q"))
    values: array[float] = field(default_factory=lambda: array("d"))

    def add(self, position: int, value: float) -> None:
        self.positions.append(position)
        self.values.append(value)

    def within(self, bound: Bound) -> NDArray[np.int64]:
        """The positions of those on that side of the bound."""
        passing = COMPARE[bound.op](np.frombuffer(self.values), bound.value)
        return np.frombuffer(self.positions, np.int64)[passing]

    def squeezed(self, alive: NDArray[np.bool_], moved: NDArray[np.int64]) -> Numbers:
        """Of those that are alive, where they have moved to."""
        values = np.frombuffer(self.values)[alive[np.frombuffer(self.positions, np.int64)]]
        return Numbers(_squeezed(self.positions, alive, moved), array("d", values.tolist()))


class Shard:
    """Grows at the end; removed entries are masked, and squeezed out once they are the half."""

    def __init__(self, dimension: int) -> None:
        self.entries_seen = 0
        self._ids: list[str] = []
        self._holders: dict[tuple[str, str], array[int]] = {}
        self._numbers: dict[str, Numbers] = {}
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
        for position, row in enumerate(rows, first):
            self._hold(position, row.fields)

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
        for one in where:
            admitted &= self._within(one) if isinstance(one, Bound) else self._having(one)
        return View(
            self._ids,
            self._seqs[:count],
            self._lengths[:count],
            admitted,
            self._matrix[: self._rows],
            self._owners[: self._rows],
            self._most_vectors,
        )

    def _having(self, condition: Condition) -> NDArray[np.bool_]:
        passing = np.zeros(len(self._ids), np.bool_)
        for value in condition.values:
            holders = self._holders.get((condition.field, value), EMPTY)
            passing[np.frombuffer(holders, np.int64)] = True
        return ~passing if condition.none else passing

    def _within(self, bound: Bound) -> NDArray[np.bool_]:
        passing = np.zeros(len(self._ids), np.bool_)
        if bound.field in self._numbers:
            passing[self._numbers[bound.field].within(bound)] = True
        return passing

    def _hold(self, position: int, fields: dict[str, FieldValue]) -> None:
        for name, value in fields.items():
            if isinstance(value, float):
                self._numbers.setdefault(name, Numbers()).add(position, value)
                continue
            for one in (value,) if isinstance(value, str) else value:
                self._holders.setdefault((name, one), array("q")).append(position)

    def _squeeze(self) -> None:
        """Make new arrays of what is alive: the old ones may be in a view."""
        alive = self._alive[: len(self._ids)]
        kept = np.flatnonzero(alive)
        owners = self._owners[: self._rows]
        rows = alive[owners]
        moved = np.cumsum(alive) - 1  # where those stand from now on that are kept
        self._ids = [self._ids[position] for position in kept]
        self._seqs, self._lengths = self._seqs[kept], self._lengths[kept]
        self._matrix = self._matrix[: self._rows][rows]
        self._owners = moved[owners[rows]]
        self._rows = len(self._matrix)
        self._alive = np.ones(len(kept), np.bool_)
        self._holders = {
            held: staying
            for held, positions in self._holders.items()
            if (staying := _squeezed(positions, alive, moved))
        }
        self._numbers = {
            name: kept_numbers
            for name, numbers in self._numbers.items()
            if (kept_numbers := numbers.squeezed(alive, moved)).positions
        }


def _squeezed(
    positions: array[int], alive: NDArray[np.bool_], moved: NDArray[np.int64]
) -> array[int]:
    at = np.frombuffer(positions, np.int64)
    return array("q", moved[at[alive[at]]].tolist())


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
