"""Headers and footers: lines that come back on page after page, and are no part of the text."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product
from statistics import median
from typing import NamedTuple

from rag.ingest.formats.layout.line import Line, Page, rows

# Where they stand: in the outer part of the page's height, at most so many rows of them, parted
# from the text by a gap, which is measured in the usual distance of two lines.
MARGIN, MOST_ROWS, GAP = 0.15, 3, 1.3

# How often the same line comes back: twice in a short document, on a share of a long one's pages.
# The header of a chapter is there on two neighbouring pages, where most pages have one. What is
# larger than the text may be a heading, unless half of the pages have it.
SHORT_DOCUMENT, SHARE = 8, 0.2
MOST_PAGES = 0.5
NEIGHBOURS = 2
LARGE, LEAST_LARGE = 1.25, 4

SAME_HEIGHT = 8  # points, and what is next to them
MOST_NUMBERS = 3

_NUMBER = re.compile(r"(\d+)")
_ROMAN = re.compile("[ivxlc]+")


def without_running(pages: Sequence[Page], body: float) -> list[Page]:
    """The pages without their headers and footers; `body` is the size of most of the text."""
    edges = [list(_edges(page)) for page in pages]
    running = _Running(len({page.number for page in pages}), body)
    for page, lines in zip(pages, edges, strict=True):
        running.see(page.number, lines)
    return [
        replace(page, lines=running.others(page, lines))
        for page, lines in zip(pages, edges, strict=True)
    ]


def _edges(page: Page) -> Iterator[Line]:
    """What may be a header or a footer by where it stands."""
    if not page.is_main:
        yield from page.lines
        return
    stack = rows(page.lines)
    if len(stack) < 3:
        return
    drops = [above[0].base - below[0].base for above, below in pairwise(stack)]
    least = GAP * median(drops)
    for inwards, steps in ((stack, drops), (stack[::-1], drops[::-1])):
        before_gap = next((n for n, drop in enumerate(steps[:MOST_ROWS], 1) if drop > least), 0)
        for row in inwards[:before_gap]:
            yield from (line for line in row if _is_in_margin(line, page))


def _is_in_margin(line: Line, page: Page) -> bool:
    return not MARGIN * page.height <= line.base <= (1 - MARGIN) * page.height


class _Look(NamedTuple):
    """What a line is known by on another page."""

    text: str
    height: int


class _Running:
    """What was seen at the edges of all pages."""

    def __init__(self, pages: int, body: float) -> None:
        self._pages = pages
        self._body = body
        self._seen = defaultdict[_Look, list[int]](list)
        self._heights = Counter[int]()

    def see(self, page: int, lines: Sequence[Line]) -> None:
        """Note the edges of one page."""
        for look in {look for line in lines for look in _looks(line, page)}:
            self._seen[look].append(page)
        self._heights.update({_height(line) for line in lines})

    def others(self, page: Page, edges: Sequence[Line]) -> Sequence[Line]:
        """The lines of a page that do not come back on others."""
        gone = {id(line) for line in edges if self._is_running(line, page.number)}
        return [line for line in page.lines if id(line) not in gone] if gone else page.lines

    def _is_running(self, line: Line, page: int) -> bool:
        if _is_page_number(line.text, page):
            return True
        return any(self._comes_back(self._on(look), line) for look in _looks(line, page))

    def _comes_back(self, pages: Sequence[int], line: Line) -> bool:
        times = len(pages)
        if line.size >= LARGE * self._body:
            return times >= max(LEAST_LARGE, MOST_PAGES * self._pages)
        if self._pages < SHORT_DOCUMENT:
            return times >= 2
        if times >= max(3, SHARE * self._pages):
            return True
        are_neighbours = any(two - one <= NEIGHBOURS for one, two in pairwise(pages))
        return are_neighbours and self._is_usual_height(_height(line))

    def _is_usual_height(self, height: int) -> bool:
        return sum(self._heights[near] for near in _near(height)) >= MOST_PAGES * self._pages

    def _on(self, look: _Look) -> list[int]:
        looks = (_Look(look.text, height) for height in _near(look.height))
        return sorted({page for near in looks for page in self._seen.get(near, ())})


def _is_page_number(text: str, page: int) -> bool:
    text = text.strip("-–— ")
    return text == str(page) or bool(_ROMAN.fullmatch(text))


def _looks(line: Line, page: int) -> Iterator[_Look]:
    """Each number as it is, or as its distance from the page's: "Page 2 of 6", "Vol. 12"."""
    pieces = _NUMBER.split(line.text)
    if len(pieces) > 2 * MOST_NUMBERS + 1:
        yield _Look(line.text, _height(line))
        return
    ways = (
        (piece, f"#{int(piece[:9]) - page}") if number % 2 else (piece,)
        for number, piece in enumerate(pieces)
    )
    for way in product(*ways):
        yield _Look("".join(way), _height(line))


def _height(line: Line) -> int:
    return round(line.base / SAME_HEIGHT)


def _near(height: int) -> tuple[int, int, int]:
    return height - 1, height, height + 1
