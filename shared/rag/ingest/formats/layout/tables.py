"""Rows of a table into the same columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rag.ingest.formats.layout.line import Line, is_right_to_left

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
    found: list[list[str]] = []
    for line in lines:
        row = [_cell(line, column) for column in columns]
        if found and not line.cells and _is_rest(row):
            found[-1] = [
                f"{cell} {more}".strip() for cell, more in zip(found[-1], row, strict=True)
            ]
        else:
            found.append(row)
    return [tuple(row) for row in found]


def fits(before: Sequence[Line], line: Line) -> bool:
    """Whether a line without wide gaps is one more row of a table, or the rest of a cell."""
    before = before[-LAST_ROWS:]
    columns = _columns(before)
    row = [_cell(line, column) for column in columns]
    if not _is_rest(row) and sum(map(bool, row)) < 2:
        return False
    return len(_columns([*before, line])) == len(columns)


def _is_rest(row: Sequence[str]) -> bool:
    """Whether all of it is in one column. Not in the first, where it may be a row's only cell."""
    return sum(map(bool, row)) == 1 and not row[0]


def _columns(lines: Sequence[Line]) -> list[Column]:
    """In the order of reading."""
    least = GUTTER * min(line.size for line in lines)
    found: list[Column] = []
    for word in sorted((word for line in lines for word in line.parts), key=lambda one: one.left):
        if found and word.left - found[-1].right < least:
            found[-1] = Column(found[-1].left, max(found[-1].right, word.right))
        else:
            found.append(Column(word.left, word.right))
    return found[::-1] if is_right_to_left(line.text for line in lines) else found


def _cell(line: Line, column: Column) -> str:
    words = line.parts
    return " ".join(word.text for word in words if column.left <= word.left <= column.right)
