"""Lines in reading order into headings, paragraphs, items and rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import Literal

from rag.ingest.formats.block import Block, cells
from rag.ingest.formats.layout.joining import Joiner, is_wide
from rag.ingest.formats.layout.line import Line, Page, ends_cut
from rag.ingest.formats.layout.outline import MOST_LINES, Outline

# A heading's letters are so much larger than the text's, and there are so many sizes of them.
HEADING, HEADING_SIZES, LONGEST_HEADING = 1.1, 4, 200
NEXT_LINE_OF_HEADING = 1.7
# What begins a paragraph: a wide gap, other letters, an indent.
GAP, OTHER_SIZE, INDENT = 1.4, 0.2, 0.8
# So many blocks after half a word its other half is looked for.
OTHER_HALF = 8

_BULLET = re.compile(r"[•‣◦▪●○■❖➢✓·–—*\uf0b7\uf0a7-]\s+(?=\S)")
_NUMBERED = re.compile(r"\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s+(?=\S)")
_FIGURES = re.compile(r"[\d\s.,:/%$€£+\-–()]+$")
_ENDS = (".", "!", "?", ":", ";", "。", "！", "？", ".”", '."', ".)")


@dataclass(slots=True)
class Group:
    """Lines that belong together."""

    kind: Literal["heading", "paragraph", "item", "table"]
    lines: list[Line]
    level: int = 0
    is_whole: bool = False  # a heading of which no line is missing
    section: tuple[str, ...] | None = None


class Sizes:
    """The letters of a document: those of most of its text, and those of its headings."""

    def __init__(self, body: float, lines: Sequence[Line]) -> None:
        self.body = body
        larger = {round(line.size) for line in lines if self._may_be_heading(line)}
        self._headings = sorted(larger, reverse=True)[:HEADING_SIZES]

    def level(self, line: Line) -> int:
        """Of a heading; 0 if this is none."""
        size = round(line.size)
        if size not in self._headings or not self._may_be_heading(line):
            return 0
        return self._headings.index(size) + 1

    def pitch(self, lines: Sequence[Line]) -> float:
        """From one line of a page to the next, usually."""
        drops = (above.base - below.base for above, below in pairwise(lines))
        near = [drop for drop in drops if 0.5 * self.body < drop < 3 * self.body]
        return median(near) if near else 1.2 * self.body

    def _may_be_heading(self, line: Line) -> bool:
        if line.size <= HEADING * self.body or len(line.text) > LONGEST_HEADING:
            return False
        return any(map(str.isalpha, line.text))


def grouped(page: Page, sizes: Sizes, outline: Outline) -> list[Group]:
    """The lines of a page, which are in reading order, put together."""
    pitch = sizes.pitch(page.lines)
    groups: list[Group] = []
    for group in _smallest(page, sizes, outline):
        opens = outline.passes(page.number, group.lines[0])
        group.section = outline.section
        if groups and not opens and _goes_on(groups[-1], group, pitch, sizes.body):
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

    def write(self, page: int, groups: Sequence[Group]) -> None:
        """Add a page."""
        for number, group in enumerate(groups):
            goes_on = number == 0 and self._is_open and _may_go_on(group)
            for block in self._written(page, group):
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
        if group.kind == "table" and len(group.lines) > 1:
            yield from _table(page, group)
            return
        kind = "paragraph" if group.kind == "table" else group.kind
        text = self._joiner.joined(group.lines)
        if kind == "item":
            text = _BULLET.sub("", text, count=1)
        yield Block(kind, text, group.level, page, group.section)


def _may_go_on(group: Group) -> bool:
    first = group.lines[0].text[0]
    return group.kind == "paragraph" and (first.islower() or is_wide(first))


def _smallest(page: Page, sizes: Sizes, outline: Outline) -> Iterator[Group]:
    """Every line for itself, but a title of the outline as a whole."""
    lines = list(page.lines)
    at = 0
    while at < len(lines):
        count, level = outline.heading(page.number, lines[at : at + MOST_LINES])
        if count:
            yield Group("heading", lines[at : at + count], level, is_whole=True)
        else:
            yield _alone(lines[at], sizes)
        at += max(count, 1)


def _alone(line: Line, sizes: Sizes) -> Group:
    if level := sizes.level(line):
        return Group("heading", [line], level)
    if line.cells:
        return Group("table", [line])
    return Group("item" if _BULLET.match(line.text) else "paragraph", [line])


def _goes_on(before: Group, group: Group, pitch: float, body: float) -> bool:
    last, line = before.lines[-1], group.lines[0]
    match before.kind, group.kind:
        case "table", "table":
            return True
        case "heading", "heading":
            if before.is_whole or group.is_whole or before.level != group.level:
                return False
            return 0 < last.base - line.base < NEXT_LINE_OF_HEADING * line.size
        case "paragraph" | "item", "paragraph":
            return not _begins(line, last, before.kind, pitch, body)
    return False


def _begins(line: Line, last: Line, kind: str, pitch: float, body: float) -> bool:
    """Whether a line begins a paragraph of its own."""
    drop = last.base - line.base
    ended = last.text.endswith(_ENDS)
    if last.is_cut and line.text[0].islower() and line.size == last.size:
        return False
    if drop <= 0:  # at the top of the next column
        return ended
    if drop > GAP * max(pitch, line.size) or abs(line.size - last.size) > OTHER_SIZE * body:
        return True
    is_indented = kind == "paragraph" and line.left - last.left > INDENT * line.size
    return ended and (is_indented or bool(_NUMBERED.match(line.text)))


def _table(page: int, group: Group) -> Iterator[Block]:
    first, second = group.lines[0].cells, group.lines[1].cells
    is_headed = (
        len(first) == len(second)
        and not any(map(_FIGURES.match, first))
        and not first[0].endswith(":")
    )
    for number, line in enumerate(group.lines):
        kind: Literal["header", "row"] = "header" if is_headed and number == 0 else "row"
        yield Block(kind, cells(line.cells), page=page, section=group.section)
