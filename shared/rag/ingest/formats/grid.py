"""The tables of documents, whose cells may hold whatever a page can."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from rag.ingest.formats.block import BAR, Block, Kind, cells

_BETWEEN_CELLS = re.compile(r"(?<!\\)\|")


def grid(rows: Iterable[Sequence[Sequence[Block]]]) -> Iterator[Block]:
    """Rows of cells of blocks: the first of them is the header, if there are others. Where all is
    in one column it is no table but a frame, and what is in it stands for itself."""
    filled = [row for row in rows if any(map(_has_text, row))]
    if len({at for row in filled for at, cell in enumerate(row) if _has_text(cell)}) < 2:
        yield from (block for row in filled for cell in row for block in cell)
        return
    for number, row in enumerate(filled):
        kind: Kind = "header" if number == 0 and len(filled) > 1 else "row"
        yield Block(kind, cells(" ".join(map(_plain, cell)) for cell in row))


def _has_text(cell: Sequence[Block]) -> bool:
    return any(block.numbered for block in cell)


def _plain(block: Block) -> str:
    """A table inside of a cell becomes its words."""
    if block.kind not in ("header", "row"):
        return block.numbered
    return _BETWEEN_CELLS.sub(" ", block.text).replace(BAR, "|")
