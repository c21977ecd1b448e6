"""A story as a PDF: a header, a footer and an outline, and every line placed by hand."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import TypeAlias

from tests.writers.pdf_file import FIXED, HEIGHT, WIDTH, Entry, Text, document, drawn
from tests.writers.story import Code, Element, Heading, Items, Paragraph, Quote, Story, Table

MARGIN, GUTTER = 60, 30
LEADING, BODY = 14, 10
HEADINGS = {1: 20, 2: 16, 3: 13}
LETTER = 0.5  # the width of most, in sizes of the font

Pieces: TypeAlias = list[Text]  # of one line, which is at the height of 0


def write(story: Story, *, columns: int = 1, interleaved: bool = False) -> bytes:
    """The story; if it is interleaved, the columns are written row by row."""
    pages, outline = _set(story, columns)
    for number, page in enumerate(pages, 1):
        if interleaved:
            page.sort(key=lambda text: (-text.y, text.x))
        page.insert(0, Text(MARGIN, HEIGHT - 30, story.title, 8))
        page.append(Text(MARGIN, 25, f"Page {number} of {len(pages)}", 8))
    return document(
        [drawn(page) for page in pages],
        outline=outline,
        info={
            "Title": story.title,
            "Author": story.author,
            "CreationDate": f"D:{story.created.replace('-', '')}",
        },
    )


def _set(story: Story, columns: int) -> tuple[list[list[Text]], list[Entry]]:
    """The pages and the outline."""
    width = (WIDTH - 2 * MARGIN - GUTTER * (columns - 1)) / columns
    pages: list[list[Text]] = []
    path = [Entry("", 0, 0)]
    column, y = columns, 0.0
    for element in story.elements:
        lines = list(_lines(element, width))
        if y - sum(drop for drop, _ in lines[:2]) < MARGIN:  # no heading at the very bottom
            y = 0
        for drop, pieces in lines:
            y -= drop
            if y < MARGIN:
                column, y = column + 1, HEIGHT - MARGIN - drop
            if column >= columns:
                column = 0
                pages.append([])
            left = MARGIN + column * (width + GUTTER)
            pages[-1] += (Text(left + one.x, y, one.text, one.size, one.font) for one in pieces)
            if isinstance(element, Heading) and pieces is lines[0][1]:
                entry = Entry(element.text, len(pages) - 1, y + LEADING)
                del path[element.level :]
                path[-1].kids.append(entry)
                path.append(entry)
        y -= LEADING / 2
    return pages, path[0].kids


def _lines(element: Element, width: float) -> Iterator[tuple[float, Pieces]]:
    """The lines of an element, and how far each is below the one before."""
    match element:
        case Heading(level, text):
            size = HEADINGS[level]
            for line in wrap(text, int(width / size / LETTER)):
                yield 1.5 * size, [Text(0, 0, line, size)]
        case Paragraph(text) | Quote(text):
            for line in wrap(text, int(width / BODY / LETTER)):
                yield LEADING, [Text(0, 0, line)]
        case Items(texts):
            for text in texts:
                first, *others = wrap(text, int((width - 20) / BODY / LETTER))
                yield LEADING, [Text(10, 0, "•"), Text(20, 0, first)]
                yield from ((LEADING, [Text(20, 0, line)]) for line in others)
        case Code(text):
            yield from ((LEADING, [Text(0, 0, line, font=FIXED)]) for line in text.split("\n"))
        case Table(header, rows):
            step = width / len(header)
            for row in (header, *rows):
                yield LEADING, [Text(n * step, 0, cell) for n, cell in enumerate(row)]
