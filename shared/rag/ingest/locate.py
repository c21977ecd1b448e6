"""Where each chunk is in its file: its marks, and the header of the table that it begins inside."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from rag.model import Chunk, Mark

# A longer header takes more room than it helps to understand a row.
LONGEST_CONTEXT = 2000
# Characters of all headings in the marks of a chunk. They are stored and read with it, and a
# thousand small headings below a long one would take a thousand times the room of the text.
MOST_HEADINGS = 20_000
LEAST_MARK = 20  # what one without headings counts for


def located(chunks: Sequence[Chunk], text: str, marks: Sequence[Mark]) -> list[Chunk]:
    """The chunks of a text with their places, as far as its marks tell any."""
    starts = [mark.start for mark in marks]
    found = []
    for chunk in chunks:
        first = max(0, bisect_right(starts, chunk.start) - 1)
        inside = _within(marks[first : bisect_left(starts, chunk.end)])
        found.append(replace(chunk, marks=inside, context=_context(chunk, text, inside)))
    return found


def _within(marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """Those that there is room for, and the first in any case; the last holds for what is left."""
    room = accumulate(sum(map(len, mark.section), LEAST_MARK) for mark in marks)
    return tuple(marks[: max(1, bisect_right(list(room), MOST_HEADINGS))])


def _context(chunk: Chunk, text: str, marks: Sequence[Mark]) -> str:
    header = marks[0].header if marks else None
    if header is None or header.start >= chunk.start:
        return ""
    return text[header.start : min(header.end, header.start + LONGEST_CONTEXT)]
