"""Rows of cells that may reach over several columns and rows."""

from __future__ import annotations

from collections.abc import Iterator

from rag.ingest.formats.block import Block, cells

WIDEST = 100  # columns that one cell may reach over


class SpannedTable:
    """A table, told cell by cell. What reaches over several places stands in the first of them,
    so that all others stay under their headings."""

    def __init__(self) -> None:
        self._rows: list[list[str]] = []
        self._headed: list[bool] = []  # of each row: whether all that it holds are headings
        self._filled: dict[int, int] = {}  # column: the last row that a cell from above fills

    def begin_row(self) -> None:
        """What follows is below."""
        self._rows.append([])
        self._headed.append(True)

    def add(self, text: str, *, is_head: bool = False, columns: int = 1, rows: int = 1) -> None:
        """The next cell of the row."""
        if not self._rows:
            self.begin_row()
        row = self._rows[-1]
        below = len(self._rows) + rows - 2
        while self._filled.get(len(row), -1) >= len(self._rows) - 1:
            row.append("")
        if text and not is_head:
            self._headed[-1] = False
        for nth in range(min(max(columns, 1), WIDEST)):
            self._filled[len(row)] = below
            row.append("" if nth else text)

    def blocks(self) -> Iterator[Block]:
        """The header, if there is one, and all rows. A lone cell before them is a caption."""
        told = [(row, head) for row, head in zip(self._rows, self._headed, strict=True) if any(row)]
        is_first = True
        for row, is_headed in told:
            filled = [text for text in row if text]
            if is_first and len(filled) == 1 and len(told) > 1:
                yield Block("paragraph", filled[0])
                continue
            yield Block("header" if is_first and is_headed else "row", cells(row))
            is_first = False
