"""Programs in documents, where each line is a paragraph of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from rag.ingest.formats.block import Block


def joined(blocks: Iterable[Block]) -> Iterator[Block]:
    """The same blocks, those of code that follow each other as one."""
    for (kind, _), group in groupby(blocks, key=lambda block: (block.kind, block.page)):
        if kind != "code":
            yield from group
            continue
        first, *rest = group
        lines = "\n".join([first.text, *(block.text for block in rest)])
        yield replace(first, text=lines.strip("\n"))
