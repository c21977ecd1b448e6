"""Program code and the like: lines whose letters are all of one width, as on a typewriter.

They keep their line ends and indents. Known by where their words stand, not by a font's name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rag.ingest.formats.layout.line import Line, Page

# So many words in columns are no accident; fewer need such letters elsewhere in the document,
# and a single one a line of code beside it.
SURE, PROBABLE = 3, 2
# Of a document that is typed for the most part, it says nothing.
MOST_TEXT = 0.5
# How far apart the lines of one piece of code are at most, and those with an empty one between,
# in sizes of their letters.
FARTHEST, EMPTY_LINE = 4, 2
SAME_STEP = 0.01


class Typewriter:
    """Knows how wide the letters of this document's code are."""

    def __init__(self, pages: Sequence[Page]) -> None:
        lines = [line for page in pages for line in page.lines]
        typed = [line for line in lines if line.typed and line.words >= SURE]
        words = sum(line.words for line in typed)
        stands_out = words < MOST_TEXT * sum(line.words for line in lines)
        self._widths = {_width(line) for line in typed} if stands_out else set()

    def code(self, lines: Sequence[Line]) -> set[int]:
        """Which lines of a page are code."""
        if not self._widths:
            return set()
        found = {at for at, line in enumerate(lines) if self._is_probable(line)}
        order = range(len(lines))
        for before, at in (*pairwise(order), *pairwise(reversed(order))):
            if before in found and is_next(lines[before], lines[at]):
                found.add(at)
        return found

    def _is_probable(self, line: Line) -> bool:
        return bool(line.typed) and line.words >= PROBABLE and _width(line) in self._widths


def is_next(one: Line, other: Line) -> bool:
    """Whether the other is a line of the same piece of code."""
    if not other.typed or abs(one.step - other.step) > SAME_STEP * one.step:
        return False
    return 0 < abs(one.base - other.base) < FARTHEST * one.size


def listing(lines: Sequence[Line]) -> str:
    """Lines of code as they were typed."""
    return "\n".join(_typed(lines))


def _typed(lines: Sequence[Line]) -> Iterator[str]:
    left = min(line.left for line in lines)
    before = lines[0]
    for line in lines:
        if before.base - line.base > EMPTY_LINE * line.size:
            yield ""
        yield " " * round((line.left - left) / line.step) + line.typed
        before = line


def _width(line: Line) -> float:
    return round(line.step / line.size, 2)
