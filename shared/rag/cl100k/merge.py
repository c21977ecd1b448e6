"""Byte pair encoding of one piece, in a time that hardly grows faster than its length."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from heapq import heapify, heappop, heappush

_NONE = -1


def merge(piece: bytes, ranks: Mapping[bytes, int]) -> list[int]:
    """The tokens of a piece: of all pairs of neighbours that are a token, the one of the lowest
    rank becomes one part, the leftmost where several have it, until no pair is a token."""
    size = len(piece)
    rank_of = ranks.get
    # For each part, by where it begins: where it ends, where the one before it begins, and the
    # rank of what it makes with the one after it.
    ends = array("i", range(1, size + 1))
    before = array("i", range(-1, size))
    joint = array("i", [rank_of(piece[at : at + 2], _NONE) for at in range(size - 1)])
    joint.append(_NONE)
    waiting: dict[int, array[int]] = {}
    for at, rank in enumerate(joint):
        if rank != _NONE:
            waiting.setdefault(rank, array("i")).append(at)
    lowest = list(waiting)
    heapify(lowest)

    def pair(start: int, end: int) -> None:
        """Note what the two parts from `start` to `end` make."""
        rank = joint[start] = rank_of(piece[start:end], _NONE)
        if rank == _NONE:
            return
        if rank not in waiting:
            waiting[rank] = array("i")
            heappush(lowest, rank)
        waiting[rank].append(start)

    while lowest:
        rank = heappop(lowest)
        starts = sorted(waiting.pop(rank))
        for number, start in enumerate(starts):
            if joint[start] != rank:  # one of the two has become part of something else
                continue
            middle = ends[start]
            end = ends[start] = ends[middle]
            joint[start] = joint[middle] = _NONE
            before[end] = start
            if end < size:
                pair(start, ends[end])
            if start:
                pair(before[start], end)
            if lowest and lowest[0] < rank:
                waiting[rank] = array("i", starts[number + 1 :])
                heappush(lowest, rank)
                break

    found = []
    start = 0
    while start < size:
        found.append(ranks[piece[start : ends[start]]])
        start = ends[start]
    return found
