"""Lines in reading order into headings, paragraphs, items, tables and code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from rag.ingest.formats.layout import tables
from rag.ingest.formats.layout.line import Bookmark, Line, Page, has_ended
from rag.ingest.formats.layout.numbering import Numbering
from rag.ingest.formats.layout.outline import Outline
from rag.ingest.formats.layout.sizes import Sizes
from rag.ingest.formats.layout.typed import Typewriter, is_next

# How far the next line of a heading is at most, and the next row of a table, in sizes of letters.
NEXT_OF_HEADING, NEXT_OF_TABLE = 1.7, 4
MOST_OF_HEADING = 3  # lines
# What begins a paragraph: a wide gap, other letters, an indent.
GAP, OTHER_SIZE, INDENT = 1.4, 0.2, 0.8

BULLET = re.compile(r"[•‣◦▪●○■❖➢✓·–—*\uf0b7\uf0a7-]\s+(?=\S)")
_NUMBERED = re.compile(r"\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s+(?=\S)")


@dataclass(slots=True)
class Group:
    """Lines that belong together."""

    kind: Literal["heading", "paragraph", "item", "table", "code"]
    lines: list[Line]
    level: int = 0  # of a heading
    is_whole: bool = False  # a heading of which no line is missing
    section: tuple[str, ...] | None = None  # by the outline
    is_first: bool = False  # of that section


class Grouper:
    """Goes through a document, page after page."""

    def __init__(self, body: float, pages: Sequence[Page], bookmarks: Sequence[Bookmark]) -> None:
        self._sizes = Sizes(body, pages)
        self._typewriter = Typewriter(pages)
        self._outline = Outline(bookmarks)
        self._numbering = Numbering()

    def groups(self, page: Page) -> list[Group]:
        """The lines of the next page, which are in reading order, put together."""
        pitch = self._sizes.pitch(page)
        groups: list[Group] = []
        for group in self._smallest(page):
            if groups and _goes_on(groups[-1], group, pitch, self._sizes.body):
                groups[-1].lines += group.lines
            else:
                groups.append(group)
        groups = list(_without_large_prose(groups))
        for group in groups:
            self._number(group)
        return groups

    def _smallest(self, page: Page) -> Iterator[Group]:
        """Every line for itself, but a title of the outline as a whole."""
        code = self._typewriter.code(page.lines)
        title_ends = 0
        for at, place in enumerate(self._outline.places(page.number, page.lines)):
            if at < title_ends:
                continue
            if place.level:
                title_ends = at + place.lines
                lines = list(page.lines[at:title_ends])
                group = Group("heading", lines, place.level, is_whole=True)
            else:
                level = self._sizes.level(page.lines[at]) if page.is_main else 0
                group = _alone(page.lines[at], level, at in code)
            group.section, group.is_first = place.section, place.is_first
            yield group

    def _number(self, group: Group) -> None:
        """Make a heading of what is numbered as one, and stands alone as one does."""
        text = group.lines[0].text
        if group.kind == "paragraph" and len(group.lines) == 1 and not group.lines[0].is_entry:
            group.level = self._numbering.level(text)
            group.kind = "heading" if group.level else "paragraph"
        if group.kind == "heading":
            self._numbering.open(text, group.level)


def _alone(line: Line, level: int, is_code: bool) -> Group:
    if level:
        return Group("heading", [line], level)
    if is_code:
        return Group("code", [line])
    if line.cells:
        return Group("table", [line])
    return Group("item" if BULLET.match(line.text) else "paragraph", [line])


def _without_large_prose(groups: Sequence[Group]) -> Iterator[Group]:
    """Headings in a row whose lines are those of sentences are a paragraph in large letters."""
    for (kind, *_), run in groupby(groups, lambda one: (one.kind, one.level, one.is_whole)):
        together = list(run)
        lines = [line for group in together for line in group.lines]
        is_prose = len(lines) > MOST_OF_HEADING and any(line.text[0].islower() for line in lines)
        if kind == "heading" and not together[0].is_whole and is_prose:
            yield Group("paragraph", lines, 0, False, together[0].section, together[0].is_first)
        else:
            yield from together


def _goes_on(before: Group, group: Group, pitch: float, body: float) -> bool:
    if group.is_first:
        return False
    last, line = before.lines[-1], group.lines[0]
    drop = last.base - line.base
    match before.kind, group.kind:
        case "table", "table":
            return 0 < drop < NEXT_OF_TABLE * line.size
        case "table", "paragraph":
            is_near = 0 < drop < GAP * max(pitch, line.size)
            is_table = len(before.lines) > 1 or len(last.cells) > 2
            return is_near and is_table and tables.fits(before.lines, line)
        case "code", "code":
            return drop > 0 and is_next(last, line)
        case "heading", "heading":
            if before.is_whole or group.is_whole or before.level != group.level:
                return False
            return 0 < drop < NEXT_OF_HEADING * line.size
        case "paragraph" | "item", "paragraph":
            return not _begins(before, line, pitch, body)
    return False


def _begins(before: Group, line: Line, pitch: float, body: float) -> bool:
    """Whether a line begins a paragraph of its own, after those of another."""
    last = before.lines[-1]
    if last.is_cut and line.text[0].islower() and line.size == last.size:
        return False
    if last.is_entry or abs(line.size - last.size) > OTHER_SIZE * body:
        return True
    drop = last.base - line.base
    if drop <= 0:  # at the top of the next column
        return has_ended(last.text)
    if drop > GAP * max(pitch, line.size):
        return True
    is_new = _is_set_off(before, line) or _NUMBERED.match(line.text)
    return bool(is_new) and has_ended(last.text)


def _is_set_off(before: Group, line: Line) -> bool:
    """Whether a line stands to the right of a paragraph's lines, or to the left of an item's."""
    *others, last = before.lines
    indent = INDENT * line.size
    if before.kind == "item":
        return line.left < last.left + (-indent if others else indent)
    return line.left > last.left + indent
