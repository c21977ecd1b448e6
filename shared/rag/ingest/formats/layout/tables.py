"""Rows of a table into the same columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rag.ingest.formats.layout.line import Line, Word, is_right_to_left

# Columns are so far apart in every row, in sizes of the letters: further than words are.
GUTTER = 0.6
# A row that fits is compared with so many before it.
LAST_ROWS = 20


class Column(NamedTuple):
    """A stretch from the left to the right in which words of a table stand."""

    left: float
    right: float


def rows(lines: Sequence[Line]) -> list[tuple[str, ...]]:
    """The cells of each row. In all rows they are as many, and a cell may be empty; unless
    something goes over several columns, and each row is as its own gaps part it."""
    columns = _columns(lines)
    if len(lines) == 1 or len(columns) < max(len(line.cells) for line in lines):
        return [line.cells or (line.text,) for line in lines]
    if is_right_to_left(line.text for line in lines):
        columns = columns[::-1]
    return [tuple(_cell(line.parts, column) for column in columns) for line in lines]


def fits(before: Sequence[Line], line: Line) -> bool:
    """Whether a line whose words are not far apart is one more row of a table."""
    before = before[-LAST_ROWS:]
    columns = _columns(before)
    taken = sum(bool(_cell(line.parts, column)) for column in columns)
    return taken > 1 and len(_columns([*before, line])) == len(columns)


def _columns(lines: Sequence[Line]) -> list[Column]:
    least = GUTTER * min(line.size for line in lines)
    found: list[Column] = []
    for word in sorted((word for line in lines for word in line.parts), key=lambda one: one.left):
        if found and word.left - found[-1].right < least:
            found[-1] = Column(found[-1].left, max(found[-1].right, word.right))
        else:
            found.append(Column(word.left, word.right))
    return found


def _cell(words: Iterable[Word], column: Column) -> str:
    return " ".join(word.text for word in words if column.left <= word.left <= column.right)
