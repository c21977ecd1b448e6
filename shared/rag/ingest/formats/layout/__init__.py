"""Words and where they stand on pages into blocks in reading order. Knows no PDF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag.ingest.formats.block import Block
from rag.ingest.formats.layout.groups import Grouper
from rag.ingest.formats.layout.joining import Joiner
from rag.ingest.formats.layout.line import Bookmark, Page, usual_size, without_shadows
from rag.ingest.formats.layout.order import ordered, with_tables_only
from rag.ingest.formats.layout.running import without_running
from rag.ingest.formats.layout.writing import Writer


def blocks(pages: Sequence[Page], bookmarks: Sequence[Bookmark]) -> list[Block]:
    """The text of a document. Its pages have at least one line among them."""
    pages = [replace(page, lines=list(without_shadows(page.lines))) for page in pages]
    body = usual_size(line for page in pages for line in page.lines)
    pages = [_in_order(page) for page in without_running(pages, body)]
    lines = [line for page in pages for line in page.lines]
    grouper, writer = Grouper(body, pages, bookmarks), Writer(Joiner(lines))
    for page in pages:
        writer.write(page, grouper.groups(page))
    return writer.blocks


def _in_order(page: Page) -> Page:
    return replace(page, lines=list(with_tables_only(ordered(page.lines))))
