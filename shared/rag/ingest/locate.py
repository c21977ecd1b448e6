"""Where each chunk is in its file: its marks, and the header of the table that it begins inside."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace

from rag.model import Chunk, Mark

# A longer header takes more room than it helps to understand a row.
LONGEST_CONTEXT = 2000


def located(chunks: Sequence[Chunk], text: str, marks: Sequence[Mark]) -> list[Chunk]:
    """The chunks of a text with their places, as far as its marks tell any."""
    starts = [mark.start for mark in marks]
    found = []
    for chunk in chunks:
        first = max(0, bisect_right(starts, chunk.start) - 1)
        inside = tuple(marks[first : bisect_left(starts, chunk.end)])
        found.append(replace(chunk, marks=inside, context=_context(chunk, text, inside)))
    return found


def _context(chunk: Chunk, text: str, marks: Sequence[Mark]) -> str:
    header = marks[0].header if marks else None
    if header is None or header.start >= chunk.start:
        return ""
    return text[header.start : min(header.end, header.start + LONGEST_CONTEXT)]
