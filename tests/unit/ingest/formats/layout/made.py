"""Lines as a page would have them, if all letters were half as wide as high."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rag.ingest.formats.layout.line import Line, Page, Word, lines

WIDTH, HEIGHT, LEADING = 600.0, 800.0, 14.0


def line(text: str, left: float = 50, base: float = 700, size: float = 10) -> Line:
    """A line of proportional letters."""
    right = left + 0.5 * size * len(text)
    return Line(text, left, base, right, size, words=len(text.split()))


def stacked(
    texts: Iterable[str], left: float = 50, top: float = 700, size: float = 10
) -> list[Line]:
    """Lines one below the other."""
    return [line(text, left, top - n * LEADING, size) for n, text in enumerate(texts)]


def typed(text: str, left: float = 50, base: float = 700, size: float = 10) -> Line:
    """A line from a typewriter."""
    (made,) = lines(_words(text, left, base, size))
    return made


def page(lines: Sequence[Line], number: int = 1, *, is_main: bool = True) -> Page:
    """A page that is not turned."""
    return Page(number, WIDTH, HEIGHT, lines, is_main=is_main)


def _words(text: str, left: float, base: float, size: float) -> Iterator[Word]:
    step = 0.6 * size
    at = 0
    for word in text.split():
        at = text.index(word, at)
        yield Word(word, left + at * step, base, left + (at + len(word)) * step, size)
        at += len(word)
