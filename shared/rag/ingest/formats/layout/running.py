"""Headers and footers: lines that come back on page after page, and are no part of the text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product
from statistics import median
from typing import NamedTuple

from rag.ingest.formats.layout.line import Line, Page, rows

MARGIN = 0.15  # of the page's height, at the top and at the bottom
MOST_ROWS = 3
# A gap parts them from the text, in the usual distance of two lines; and they are not large.
GAP, LARGEST = 1.3, 1.25
# They come back so often: twice in a short document, on a share of the pages of a long one.
LONG_DOCUMENT, SHARE_OF_PAGES = 8, 0.2
MOST_NUMBERS = 3
SAME_HEIGHT = 8

_NUMBER = re.compile(r"(\d+)")


def without_running(pages: Sequence[Page], body: float) -> list[Page]:
    """The pages without their headers and footers; `body` is the size of most of the text."""
    edges = [list(_edges(page, body)) for page in pages]
    running = _seen_often(
        (looks for page, lines in zip(pages, edges, strict=True) for looks in _all(lines, page)),
        len({page.number for page in pages}),
    )
    return [
        replace(page, lines=_without(page, lines, running))
        for page, lines in zip(pages, edges, strict=True)
    ]


class _Look(NamedTuple):
    """What a line is known by on another page."""

    text: str
    height: int  # in steps

    def or_near(self) -> Iterator[_Look]:
        return (self._replace(height=self.height + step) for step in (-1, 0, 1))


def _edges(page: Page, body: float) -> Iterator[Line]:
    """The rows at the top and at the bottom that a gap parts from the rest."""
    stack = rows(page.lines)
    if not page.is_main:
        yield from page.lines
        return
    if len(stack) < 3:
        return
    drops = [above[0].base - below[0].base for above, below in pairwise(stack)]
    least = GAP * median(drops)
    for inwards, steps in ((stack, drops), (stack[::-1], drops[::-1])):
        for row in inwards[: _rows_before_gap(steps, least)]:
            for line in row:
                if line.size < LARGEST * body and _is_in_margin(line, page):
                    yield line


def _rows_before_gap(drops: Sequence[float], least: float) -> int:
    return next((n for n, drop in enumerate(drops[:MOST_ROWS], 1) if drop > least), 0)


def _is_in_margin(line: Line, page: Page) -> bool:
    return not MARGIN * page.height <= line.base <= (1 - MARGIN) * page.height


def _looks(line: Line, page: Page) -> Iterator[_Look]:
    """Each number as it is, or as its distance from the page's: "Page 2 of 6", "Vol. 12"."""
    height = round(line.base / SAME_HEIGHT)
    pieces = _NUMBER.split(line.text)
    if len(pieces) > 2 * MOST_NUMBERS + 1:
        yield _Look(line.text, height)
        return
    ways = [
        (piece, f"#{int(piece[:9]) - page.number}") if number % 2 else (piece,)
        for number, piece in enumerate(pieces)
    ]
    for way in product(*ways):
        yield _Look("".join(way), height)


def _all(lines: Iterable[Line], page: Page) -> set[_Look]:
    return {look for line in lines for look in _looks(line, page)}


def _seen_often(looks: Iterable[_Look], pages: int) -> set[_Look]:
    least = 2 if pages < LONG_DOCUMENT else max(3, SHARE_OF_PAGES * pages)
    return {look for look, times in Counter(looks).items() if times >= least}


def _without(page: Page, edges: Sequence[Line], running: set[_Look]) -> Sequence[Line]:
    gone = {
        id(line)
        for line in edges
        if line.text.strip("-–— ") == str(page.number)
        or any(not running.isdisjoint(look.or_near()) for look in _looks(line, page))
    }
    return [line for line in page.lines if id(line) not in gone] if gone else page.lines
