"""One namespace: records, a log of writes that reads see late or at once, and exact search."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from infra.local.pinecone_server.filters import passes

Record: TypeAlias = dict[str, Any]  # as it came: id, values, sparseValues?, metadata?
Floats: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Write:
    """Records to put and ids to remove, from a moment on."""

    visible_at: float
    put: Sequence[Record] = ()
    remove: Sequence[str] = ()
    remove_all: bool = False


@dataclass
class Namespace:
    """What has been written, and as much of it as a read may see."""

    records: dict[str, Record] = field(default_factory=dict)
    committed: int = 0  # log sequence numbers
    visible: int = 0
    _pending: deque[Write] = field(default_factory=deque)
    _search: Search | None = None

    def write(self, write: Write) -> int:
        """Take a write into the log."""
        self._pending.append(write)
        self.committed += 1
        return self.committed

    def settle(self, now: float) -> None:
        """Show the writes whose time has come, in their order."""
        while self._pending and self._pending[0].visible_at <= now:
            write = self._pending.popleft()
            if write.remove_all:
                self.records.clear()
            for id in write.remove:
                self.records.pop(id, None)
            self.records.update({record["id"]: record for record in write.put})
            self.visible += 1
            self._search = None

    def latest(self, id: str) -> Record | None:
        """The record as the last write left it, seen or not."""
        for write in reversed(self._pending):
            for record in reversed(write.put):
                if record["id"] == id:
                    return record
            if write.remove_all or id in write.remove:
                return None
        return self.records.get(id)

    def search(self) -> Search:
        """What there is to see, ready to be searched."""
        if self._search is None:
            self._search = Search(list(self.records.values()))
        return self._search


class Search:
    """Exact dot products over records that do not change."""

    def __init__(self, records: list[Record]) -> None:
        self.records = records
        self._matrix: Floats | None = None
        self._postings: dict[int, tuple[list[int], list[float]]] | None = None

    def admitted(
        self, filter: Mapping[str, Any] | None, *, absent_fails: bool = False
    ) -> NDArray[np.intp]:
        """The positions of the records that pass the filter."""
        return np.array(
            [
                position
                for position, record in enumerate(self.records)
                if not filter
                or passes(filter, record.get("metadata") or {}, absent_fails=absent_fails)
            ],
            np.intp,
        )

    def scores(self, dense: Sequence[float] | None, sparse: Mapping[str, Any] | None) -> Floats:
        """The dot product of every record with both parts of a query."""
        scores = np.zeros(len(self.records), np.float32)
        if self.records and dense is not None and any(dense):
            # Of each record by itself: what is beside it must not change how it is rounded.
            scores += np.vecdot(self._dense(), np.asarray(dense, np.float32))
        if sparse is not None:
            for index, value in zip(sparse["indices"], sparse["values"], strict=True):
                positions, stored = self._sparse().get(index, ([], []))
                scores[positions] += np.float32(value) * np.asarray(stored, np.float32)
        return scores

    def _dense(self) -> Floats:
        if self._matrix is None:
            self._matrix = np.array([record["values"] for record in self.records], np.float32)
        return self._matrix

    def _sparse(self) -> dict[int, tuple[list[int], list[float]]]:
        if self._postings is None:
            self._postings = defaultdict(lambda: ([], []))
            for position, record in enumerate(self.records):
                sparse = record.get("sparseValues") or {"indices": [], "values": []}
                for index, value in zip(sparse["indices"], sparse["values"], strict=True):
                    positions, values = self._postings[index]
                    positions.append(position)
                    values.append(value)
        return self._postings
