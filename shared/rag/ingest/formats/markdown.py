"""Markdown: the text as it stands, less its front matter, and where its sections and tables are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from rag.ingest.formats.block import Block, Reading
from rag.ingest.formats.charset import decoded
from rag.ingest.formats.front_matter import front_matter
from rag.model import Mark, Span

# It stands in the location of every chunk below it.
LONGEST_HEADING = 200

# Each looks at a character a few times at most: whoever sends a million must not stop the server.
_HEADING = re.compile(r"(#{1,6})[ \t]++(.*)")
_UNDERLINE = re.compile(r"(?:=++|-++)\s*+")
_FENCE = re.compile(r" {0,3}(`{3,}+|~{3,}+)(.*)")
_RULE = re.compile(r"\s*+\|?(?:\s*+:?-++:?\s*+(?:\||$))++")
# What a line of dashes below does not make a heading: quotes, rows, items, code.
_NO_PROSE = re.compile(r"\s*+(?:$|[>|#]|[-*+][ \t]|\d{1,9}[.)][ \t])| {4}|\t|[=-]++\s*+$")

# What front matter calls the properties of a document; the first of a name that is told counts.
_PROPERTIES = (
    ("author", "author"),
    ("authors", "author"),
    ("date", "created"),
    ("created", "created"),
    ("updated", "modified"),
    ("modified", "modified"),
    ("lastmod", "modified"),
    ("subject", "subject"),
    ("keywords", "keywords"),
    ("tags", "keywords"),
    ("description", "description"),
    ("summary", "description"),
    ("language", "language"),
    ("lang", "language"),
)


class _Line(NamedTuple):
    start: int
    text: str


class _Turn(NamedTuple):
    """A place from which on a heading holds, or a header; or no header any more."""

    start: int
    level: int = 0
    heading: str = ""
    header: Span | None = None


def read(data: bytes, charset: str) -> Reading:
    """The text, cut where its sections begin."""
    text = decoded(data, charset)
    front = front_matter(text)
    properties: dict[str, str] = {}
    for key, name in _PROPERTIES:
        if front.told.get(key):
            properties.setdefault(name, front.told[key])
    outline = Outline()
    blocks = outline.blocks(text[front.end :])
    return Reading(blocks, front.told.get("title") or outline.title, properties)


def marks(text: str) -> tuple[Mark, ...]:
    """Where the sections and tables are of a text that was sent as it is."""
    return tuple(Outline().marks(text, front_matter(text).end)) if text else ()


class Outline:
    """The headings of a text that may come in pieces."""

    def __init__(self) -> None:
        self.title = ""  # the first heading of the highest level
        self._path: list[tuple[int, str]] = []

    @property
    def section(self) -> tuple[str, ...]:
        """The headings that hold now."""
        return tuple(heading for _, heading in self._path)

    def blocks(self, text: str) -> list[Block]:
        """The next piece, cut where its sections begin."""
        marks = self.marks(text)
        ends = chain((mark.start for mark in marks[1:]), (len(text),))
        return [
            Block("verbatim", text[mark.start : end], section=mark.section)
            for mark, end in zip(marks, ends, strict=True)
        ]

    def marks(self, text: str, start: int = 0) -> list[Mark]:
        """Those of the next piece, which says something from `start` on."""
        marks = [Mark(0, section=self.section)]
        for turn in _turns(text, start):
            if turn.heading:
                self._open(turn.level, turn.heading)
            if marks[-1].start == turn.start:
                marks.pop()
            marks.append(Mark(turn.start, section=self.section, header=turn.header))
        return marks

    def _open(self, level: int, heading: str) -> None:
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        self._path.append((level, heading[:LONGEST_HEADING]))
        if level == 1 and not self.title:
            self.title = heading


def _turns(text: str, start: int) -> Iterator[_Turn]:
    fence = ""
    in_table = False
    before = _Line(start, "")
    for line in _lines(text, start):
        if fence:
            if _closes(line.text, fence):
                fence = ""
            continue
        if in_table and "|" not in line.text:
            in_table = False
            yield _Turn(line.start)
        if found := _HEADING.match(line.text):
            if heading := _unclosed(found[2]):
                yield _Turn(line.start, len(found[1]), heading)
        elif (found := _FENCE.match(line.text)) and "`" not in found[2]:
            fence = found[1]
        elif _UNDERLINE.fullmatch(line.text) and not _NO_PROSE.match(before.text):
            yield _Turn(before.start, 1 if line.text[0] == "=" else 2, before.text.strip())
        elif "|" in line.text and "|" in before.text and _RULE.fullmatch(line.text):
            after = line.start + len(line.text) + 1
            if after < len(text):
                in_table = True
                header = before.text.rstrip()
                yield _Turn(after, header=Span(before.start, before.start + len(header)))
        before = line


def _lines(text: str, start: int) -> Iterator[_Line]:
    for line in text[start:].split("\n"):
        yield _Line(start, line)
        start += len(line) + 1


def _closes(line: str, fence: str) -> bool:
    closing = line.strip()
    return closing.startswith(fence) and not closing.strip(fence[0])


def _unclosed(heading: str) -> str:
    """ "All about newts #" is closed by its last sign, and "C#" is not."""
    heading = heading.rstrip()
    opened = heading.rstrip("#")
    return opened.rstrip() if opened[-1:].isspace() or not opened else heading
