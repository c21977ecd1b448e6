"""Near-duplicates: the same passage twice takes room and tells nothing more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag.model import ChunkRef, Excerpt
from rag.query.join import touch
from rag.query.numbers import numbers
from rag.terms import terms

# The share of a passage that another must hold to make it a repetition: distinct ones reach .36,
# one with every twentieth word changed keeps .87.
SAME = 0.8


@dataclass(frozen=True, slots=True)
class _Told:
    """What an excerpt tells: its neighbouring terms in pairs, and its numbers."""

    excerpt: Excerpt
    pairs: frozenset[tuple[str, ...]]
    numbers: frozenset[str]


def distinct(excerpts: Sequence[Excerpt]) -> list[Excerpt]:
    """Those of the excerpts that do not merely repeat one before them."""
    repeated = repetitions(excerpts)
    return [excerpt for excerpt in excerpts if excerpt.ref not in repeated]


def repetitions(excerpts: Sequence[Excerpt]) -> dict[ChunkRef, ChunkRef]:
    """The excerpts that repeat one before them, and which one that is."""
    kept: list[_Told] = []
    repeated: dict[ChunkRef, ChunkRef] = {}
    for one in map(_told, excerpts):
        known = next((other for other in kept if _repeats(one, other)), None)
        if known is None:
            kept.append(one)
        else:
            repeated[one.excerpt.ref] = known.excerpt.ref
    return repeated


def _repeats(one: _Told, other: _Told) -> bool:
    # What neighbours share is their overlap: they are joined, and the rest of them is not lost.
    if touch(one.excerpt, other.excerpt):
        return False
    # 140 and 150 euros are not the same policy, nor are those of 2024 and of 2025.
    if not one.numbers <= other.numbers:
        return False
    return len(one.pairs & other.pairs) >= SAME * len(one.pairs)


def _told(excerpt: Excerpt) -> _Told:
    stems = [term.text for term in terms(excerpt.text)]
    # Of a text without words, its signs must be the same.
    pairs: list[tuple[str, ...]] = [*pairwise(stems)] or [tuple(stems or excerpt.text.split())]
    text = f"{excerpt.document.title}\n{excerpt.stored.chunk.context}\n{excerpt.text}"
    return _Told(excerpt, frozenset(pairs), frozenset(numbers(text)))
