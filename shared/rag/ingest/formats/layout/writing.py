"""Groups of lines into blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from rag.ingest.formats.block import Block, cells
from rag.ingest.formats.layout import tables
from rag.ingest.formats.layout.groups import BULLET, Group
from rag.ingest.formats.layout.joining import Joiner, is_wide
from rag.ingest.formats.layout.line import Page, ends_cut, has_ended
from rag.ingest.formats.layout.typed import listing

# So many blocks after half a word its other half is looked for.
OTHER_HALF = 8

_FIGURES = re.compile(r"[\d\s.,:/%$€£+\-–()]+$")


class Writer:
    """Goes through a document, page after page."""

    def __init__(self, joiner: Joiner) -> None:
        self._joiner = joiner
        self._cut = -OTHER_HALF  # the last block that ends with half a word
        self.blocks: list[Block] = []

    def write(self, page: Page, groups: Sequence[Group]) -> None:
        """Add the next page."""
        for number, group in enumerate(groups):
            goes_on = number == 0 and self._is_open(page) and self._may_go_on(group)
            for block in self._written(page.number, group):
                self._add(replace(block, continues=True) if goes_on else block)

    def _is_open(self, page: Page) -> bool:
        """Whether the page before ended within a sentence, and nothing else of this one came."""
        last = self.blocks[-1] if self.blocks else None
        if last is None or last.kind != "paragraph" or has_ended(last.text):
            return False
        return page.is_main and last.page != page.number

    def _may_go_on(self, group: Group) -> bool:
        first = group.lines[0].text[0]
        is_within = first.islower() or is_wide(first) or self.blocks[-1].text.endswith(",")
        return group.kind == "paragraph" and is_within

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
        match group.kind:
            case "table":
                yield from self._table(page, group)
                return
            case "code":
                text = listing(group.lines)
            case "item":
                text = BULLET.sub("", self._joiner.joined(group.lines), count=1)
            case _:
                text = self._joiner.joined(group.lines)
        yield Block(group.kind, text, group.level, page, group.section)

    def _table(self, page: int, group: Group) -> Iterator[Block]:
        last = self.blocks[-1] if self.blocks else None
        goes_on = last is not None and last.kind == "row" and last.page != page
        rows = tables.rows(group.lines)
        if len(rows) == 1 and len(rows[0]) == 2 and not goes_on:
            yield Block("paragraph", group.lines[0].text, page=page, section=group.section)
            return
        for number, row in enumerate(rows):
            is_header = number == 0 and not goes_on and _is_header(rows)
            kind: Literal["header", "row"] = "header" if is_header else "row"
            yield Block(kind, cells(row), page=page, section=group.section)


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names what is below it."""
    first, *others = rows
    if not others or len(others[0]) != len(first) or first[0].endswith(":"):
        return False
    return all(first) and not any(map(_FIGURES.match, first))
