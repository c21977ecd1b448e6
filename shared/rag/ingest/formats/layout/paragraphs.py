"""Lines in reading order into headings, paragraphs, items and rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from rag.ingest.formats.block import Block, cells
from rag.ingest.formats.layout.joining import Joiner, is_wide
from rag.ingest.formats.layout.line import Line, Page, ends_cut
from rag.ingest.formats.layout.outline import Outline
from rag.ingest.formats.layout.typed import Typewriter, is_next, listing

# A heading's letters are so much larger than the text's, and there are so many sizes of them.
HEADING, HEADING_SIZES, LONGEST_HEADING = 1.1, 4, 200
NEXT_LINE_OF_HEADING = 1.7
# What begins a paragraph: a wide gap, other letters, an indent.
GAP, OTHER_SIZE, INDENT = 1.4, 0.2, 0.8
# A page with fewer lines is taken to be set as the others are.
LINES_THAT_TELL = 12
# So many blocks after half a word its other half is looked for.
OTHER_HALF = 8

_BULLET = re.compile(r"[•‣◦▪●○■❖➢✓·–—*\uf0b7\uf0a7-]\s+(?=\S)")
_NUMBERED = re.compile(r"\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s+(?=\S)")
_FIGURES = re.compile(r"[\d\s.,:/%$€£+\-–()]+$")
_ENDS = (".", "!", "?", ":", ";", "。", "！", "？", ".”", '."', ".)")


@dataclass(slots=True)
class Group:
    """Lines that belong together."""

    kind: Literal["heading", "paragraph", "item", "table", "code"]
    lines: list[Line]
    level: int = 0
    is_whole: bool = False  # a heading of which no line is missing
    section: tuple[str, ...] | None = None
    is_first: bool = False  # of its section


class Sizes:
    """The letters and lines of a document: what most of its text has, and its headings."""

    def __init__(self, body: float, pages: Sequence[Page]) -> None:
        self.body = body
        lines = (line for page in pages for line in page.lines)
        larger = {round(line.size) for line in lines if self._may_be_heading(line)}
        self._headings = sorted(larger, reverse=True)[:HEADING_SIZES]
        self.typewriter = Typewriter(pages)
        self._pitch = self._usual([drop for page in pages for drop in self._drops(page)])

    def level(self, line: Line) -> int:
        """Of a heading; 0 if this is none."""
        size = round(line.size)
        if size not in self._headings or not self._may_be_heading(line):
            return 0
        return self._headings.index(size) + 1

    def pitch(self, page: Page) -> float:
        """From one line of a paragraph to the next, on this page."""
        drops = self._drops(page)
        return self._usual(drops) if len(drops) >= LINES_THAT_TELL else self._pitch

    def _drops(self, page: Page) -> list[float]:
        drops = (above.base - below.base for above, below in pairwise(page.lines))
        return [drop for drop in drops if 0.5 * self.body < drop < 3 * self.body]

    def _usual(self, drops: list[float]) -> float:
        # Not the middle one: a page may have more paragraphs than lines in them.
        return sorted(drops)[len(drops) // 4] if drops else 1.2 * self.body

    def _may_be_heading(self, line: Line) -> bool:
        if line.size <= HEADING * self.body or len(line.text) > LONGEST_HEADING:
            return False
        return not line.is_entry and any(map(str.isalpha, line.text))


def grouped(page: Page, sizes: Sizes, outline: Outline) -> list[Group]:
    """The lines of a page, which are in reading order, put together."""
    pitch = sizes.pitch(page)
    groups: list[Group] = []
    for group in _smallest(page, sizes, outline):
        if groups and _goes_on(groups[-1], group, pitch, sizes.body):
            groups[-1].lines += group.lines
        else:
            groups.append(group)
    return groups


class Writer:
    """Groups into blocks, page after page."""

    def __init__(self, joiner: Joiner) -> None:
        self._joiner = joiner
        self._cut = -OTHER_HALF  # the last block that ends with half a word
        self.blocks: list[Block] = []

    def write(self, page: Page, groups: Sequence[Group]) -> None:
        """Add a page."""
        for number, group in enumerate(groups):
            goes_on = number == 0 and page.is_main and self._is_open and _may_go_on(group)
            for block in self._written(page.number, group):
                self._add(replace(block, continues=True) if goes_on else block)

    @property
    def _is_open(self) -> bool:
        """Whether the last sentence of the page before has not ended."""
        if not self.blocks or self.blocks[-1].kind != "paragraph":
            return False
        return not self.blocks[-1].text.endswith(_ENDS)

    def _add(self, block: Block) -> None:
        if block.kind == "paragraph":
            if len(self.blocks) - self._cut < OTHER_HALF and block.text[0].islower():
                block = self._mended(block)
            if ends_cut(block.text):
                self._cut = len(self.blocks)
        self.blocks.append(block)

    def _mended(self, block: Block) -> Block:
        """What goes on with the other half of a word, which is put to the first: a page may end
        between them, or a figure stand."""
        before = self.blocks[self._cut]
        end, rest = self._joiner.mended(before.text, block.text)
        self.blocks[self._cut] = replace(before, text=end)
        self._cut = -OTHER_HALF
        return replace(block, text=rest)

    def _written(self, page: int, group: Group) -> Iterator[Block]:
        if group.kind == "table":
            yield from self._table(page, group)
            return
        text = listing(group.lines) if group.kind == "code" else self._joiner.joined(group.lines)
        if group.kind == "item":
            text = _BULLET.sub("", text, count=1)
        yield Block(group.kind, text, group.level, page, group.section)

    def _table(self, page: int, group: Group) -> Iterator[Block]:
        goes_on = bool(self.blocks) and self.blocks[-1].kind == "row"
        if len(group.lines) == 1 and not goes_on:
            yield Block("paragraph", group.lines[0].text, page=page, section=group.section)
            return
        for number, line in enumerate(group.lines):
            is_header = number == 0 and not goes_on and _is_header(*group.lines[:2])
            kind: Literal["header", "row"] = "header" if is_header else "row"
            yield Block(kind, cells(line.cells), page=page, section=group.section)


def _may_go_on(group: Group) -> bool:
    first = group.lines[0].text[0]
    return group.kind == "paragraph" and (first.islower() or is_wide(first))


def _smallest(page: Page, sizes: Sizes, outline: Outline) -> Iterator[Group]:
    """Every line for itself, but a title of the outline as a whole."""
    code = sizes.typewriter.code(page.lines)
    title_ends = 0
    for at, place in enumerate(outline.places(page.number, page.lines)):
        if at < title_ends:
            continue
        if place.level:
            title_ends = at + place.lines
            group = Group("heading", list(page.lines[at:title_ends]), place.level, is_whole=True)
        else:
            group = _alone(page.lines[at], sizes, at in code)
        group.section, group.is_first = place.section, place.is_first
        yield group


def _alone(line: Line, sizes: Sizes, is_code: bool) -> Group:
    if level := sizes.level(line):
        return Group("heading", [line], level)
    if is_code:
        return Group("code", [line])
    if line.cells:
        return Group("table", [line])
    return Group("item" if _BULLET.match(line.text) else "paragraph", [line])


def _goes_on(before: Group, group: Group, pitch: float, body: float) -> bool:
    if group.is_first:
        return False
    last, line = before.lines[-1], group.lines[0]
    match before.kind, group.kind:
        case "table", "table":
            return True
        case "code", "code":
            return last.base > line.base and is_next(last, line)
        case "heading", "heading":
            if before.is_whole or group.is_whole or before.level != group.level:
                return False
            return 0 < last.base - line.base < NEXT_LINE_OF_HEADING * line.size
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
    has_ended = last.text.endswith(_ENDS)
    if drop <= 0:  # at the top of the next column
        return has_ended
    if drop > GAP * max(pitch, line.size):
        return True
    return has_ended and (_is_set_off(before, line) or bool(_NUMBERED.match(line.text)))


def _is_set_off(before: Group, line: Line) -> bool:
    """Whether a line stands to the right of a paragraph's lines, or to the left of an item's."""
    *others, last = before.lines
    indent = INDENT * line.size
    if before.kind == "item":
        return line.left < last.left + (-indent if others else indent)
    return line.left > last.left + indent


def _is_header(first: Line, second: Line) -> bool:
    if len(first.cells) != len(second.cells) or first.cells[0].endswith(":"):
        return False
    return not any(map(_FIGURES.match, first.cells))
