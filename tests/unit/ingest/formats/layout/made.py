"""Lines as a page would have them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rag.ingest.formats import layout
from rag.ingest.formats.block import Block
from rag.ingest.formats.layout.line import Bookmark, Line, Page, Word, lines

LONG = "words of a line that reaches the other edge of its page"
WIDTH, HEIGHT, LEADING = 600.0, 800.0, 14.0


def line(text: str, left: float = 50, base: float = 700, size: float = 10) -> Line:
    """A line of letters that are half as wide as high; not one of a typewriter."""
    words = list(_words(text, left, base, size, 0.5))
    right = left + 0.5 * size * len(text)
    edges = [edge for word in words for edge in (word.left, word.right)]
    return Line(text, left, base, right, size, len(words), edges)


def stacked(
    texts: Iterable[str], left: float = 50, top: float = 700, size: float = 10
) -> list[Line]:
    """Lines one below the other."""
    return [line(text, left, top - n * LEADING, size) for n, text in enumerate(texts)]


def typed(text: str, left: float = 50, base: float = 700, size: float = 10) -> Line:
    """A line from a typewriter."""
    (made,) = lines(_words(text, left, base, size, 0.6))
    return made


def page(lines: Sequence[Line], number: int = 1, *, is_main: bool = True) -> Page:
    """A page that is not turned."""
    return Page(number, WIDTH, HEIGHT, lines, is_main=is_main)


def table(*rows: Sequence[str], top: float = 700) -> list[Line]:
    """Cells that are far apart."""
    return [
        line(cell, left=50 + 120 * column, base=top - LEADING * row)
        for row, values in enumerate(rows)
        for column, cell in enumerate(values)
    ]


def blocks(*pages: Sequence[Line], bookmarks: Sequence[Bookmark] = ()) -> list[Block]:
    """What becomes of pages of these lines."""
    return layout.blocks([page(lines, n) for n, lines in enumerate(pages, 1)], bookmarks)


def texts(*pages: Sequence[Line]) -> list[tuple[str, str]]:
    """The kind and the text of each block."""
    return [(block.kind, block.text) for block in blocks(*pages)]


def _words(text: str, left: float, base: float, size: float, width: float) -> Iterator[Word]:
    step = width * size
    at = 0
    for word in text.split():
        at = text.index(word, at)
        yield Word(word, left + at * step, base, left + (at + len(word)) * step, size)
        at += len(word)
