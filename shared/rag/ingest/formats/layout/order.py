"""The order in which the lines of a page are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from statistics import median
from typing import NamedTuple, TypeAlias

from rag.ingest.formats.layout.line import Line, in_columns, is_right_to_left, rows

Row: TypeAlias = Sequence[Line]

# A gutter is at least so wide, in sizes of the letters and in points.
GUTTER, GUTTER_POINTS = 0.7, 4
LEAST_ROWS = 3
MOST_COLUMNS = 4
MOST_ROWS = 1000  # of a page; what has more is no page that anyone set in columns
DEEPEST = 4  # columns within columns

# Columns of prose have lines of so many letters, and so many of them reach the other edge.
LINE_OF_PROSE, FULL_LINE, FULL_LINES = 18, 0.7, 0.4

# Cells of one row are so far apart, in sizes of the letters, and rows of one table so near.
CELL, NEXT_ROW = 1.8, 4


def ordered(lines: Sequence[Line], depth: int = 0) -> list[Line]:
    """Bands that gutters part into columns are read column by column, all else row by row."""
    if not lines:
        return []
    stack = rows(lines)
    if depth == DEEPEST or len(stack) > MOST_ROWS:
        return [_merged(row) for row in stack]
    region = _Region(stack)
    found: list[Line] = []
    at = 0
    while at < len(stack):
        band = region.band(at)
        if band.is_prose:
            for column in band.columns:
                found += ordered([line for row in column for line in row], depth + 1)
            at += len(band.rows)
        else:
            # None of a table's rows begins columns of prose: to look at each would take long.
            end = at + (len(band.rows) if band.is_table else 1)
            found += map(_merged, stack[at:end])
            at = end
    return found


def with_tables_only(lines: Sequence[Line]) -> Iterator[Line]:
    """Take the cells away from rows of two that have no others near: those are justified text."""
    for before, line, after in zip((None, *lines), lines, (*lines[1:], None), strict=False):
        is_lone = not any(other and _is_next(line, other) for other in (before, after))
        if len(line.cells) == 2 and is_lone:
            yield replace(line, cells=())
        else:
            yield line


class _Gap(NamedTuple):
    """A stretch without text from the left to the right."""

    left: float
    right: float
    after_text: bool  # there is text on its left
    before_text: bool

    def common(self, other: _Gap) -> _Gap:
        return _Gap(
            max(self.left, other.left),
            min(self.right, other.right),
            self.after_text or other.after_text,
            self.before_text or other.before_text,
        )

    @property
    def parts(self) -> bool:
        """Whether there is text on both sides."""
        return self.after_text and self.before_text


@dataclass(frozen=True, slots=True)
class _Band:
    """Rows one below the other, and the gutters that go through all of them."""

    rows: Sequence[Row]
    gutters: Sequence[_Gap]

    @property
    def columns(self) -> list[list[Row]]:
        """What stands between the gutters, in the order of reading."""
        edges = [-inf, *((gutter.left + gutter.right) / 2 for gutter in self.gutters), inf]
        found = [list(self._between(left, right)) for left, right in pairwise(edges)]
        texts = (line.text for row in self.rows for line in row)
        return found[::-1] if is_right_to_left(texts) else found

    @property
    def is_table(self) -> bool:
        """Whether there are more columns than any prose has."""
        return len(self.gutters) >= MOST_COLUMNS

    @property
    def is_prose(self) -> bool:
        """Whether these are columns, not the cells of a table."""
        if len(self.rows) < LEAST_ROWS or not 1 <= len(self.gutters) < MOST_COLUMNS:
            return False
        return all(map(_is_prose, self.columns))

    def _between(self, left: float, right: float) -> Iterator[Row]:
        for row in self.rows:
            within = [line for line in row if left <= line.middle < right]
            if within:
                yield within


class _Region:
    """A part of a page."""

    def __init__(self, stack: Sequence[Row]) -> None:
        lines = [line for row in stack for line in row]
        self._left = min(line.left for line in lines)
        self._right = max(line.right for line in lines)
        self._least = max(GUTTER * median(line.size for line in lines), GUTTER_POINTS)
        self._stack = stack
        self._gaps = [list(self._gaps_of(row)) for row in stack]

    def band(self, at: int) -> _Band:
        """From this row on, as many as a common gutter parts."""
        gutters = self._gaps[at]
        end = at + 1
        while end < len(self._stack) and gutters:
            met = self._common(gutters, self._gaps[end])
            still_parts = end - at < LEAST_ROWS or any(gap.parts for gap in met)
            if not met or not still_parts:
                break
            gutters = met
            end += 1
        return _Band(self._stack[at:end], [gap for gap in gutters if gap.parts])

    def _gaps_of(self, row: Row) -> Iterator[_Gap]:
        reached = self._left
        for number, line in enumerate(row):
            if line.left - reached >= self._least:
                yield _Gap(reached, line.left, number > 0, True)
            reached = max(reached, line.right)
        if self._right - reached >= self._least:
            yield _Gap(reached, self._right, True, False)

    def _common(self, gutters: Sequence[_Gap], gaps: Iterable[_Gap]) -> list[_Gap]:
        """Both go from the left to the right, so that each is passed but once."""
        found: list[_Gap] = []
        first = 0
        for gap in gaps:
            while first < len(gutters) and gutters[first].right - gap.left < self._least:
                first += 1
            at = first
            while at < len(gutters) and gap.right - gutters[at].left >= self._least:
                if self._meet(gutters[at], gap):
                    found.append(gutters[at].common(gap))
                at += 1
        return found

    def _meet(self, one: _Gap, other: _Gap) -> bool:
        return min(one.right, other.right) - max(one.left, other.left) >= self._least


def _is_prose(column: Sequence[Row]) -> bool:
    if len(column) < LEAST_ROWS:
        return False
    letters = [sum(len(line.text) + 1 for line in row) - 1 for row in column]
    if median(letters) < LINE_OF_PROSE:
        return False
    lefts, rights = [row[0].left for row in column], [row[-1].right for row in column]
    least = FULL_LINE * (max(rights) - min(lefts))
    full = sum(right - left > least for left, right in zip(lefts, rights, strict=True))
    return full >= FULL_LINES * len(column)


def _merged(row: Row) -> Line:
    """A row as one line, with its cells where wide gaps part it."""
    if len(row) == 1:
        return row[0]
    main = max(row, key=lambda line: len(line.text))
    if is_right_to_left(line.text for line in row):
        row = row[::-1]
    cells = [row[0].text]
    for before, line in pairwise(row):
        if max(line.left - before.right, before.left - line.right) >= CELL * main.size:
            cells.append(line.text)
        else:
            cells[-1] += " " + line.text
    typed = all(line.typed for line in row)
    pieces = ((line.left, line.right, line.typed) for line in row)
    return Line(
        text=" ".join(line.text for line in row),
        left=min(line.left for line in row),
        base=main.base,
        right=max(line.right for line in row),
        size=main.size,
        words=sum(line.words for line in row),
        edges=[edge for line in row for edge in line.edges],
        cells=tuple(cells) if len(cells) > 1 else (),
        step=main.step,
        typed=in_columns(pieces, main.step) if typed else "",
    )


def _is_next(line: Line, other: Line) -> bool:
    return bool(other.cells) and abs(line.base - other.base) < NEXT_ROW * line.size
