"""Markdown: the text as it stands, less its front matter, and where its sections and tables are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from rag.ingest.formats.block import Block, Reading
from rag.ingest.formats.charset import decoded
from rag.ingest.formats.compose import LONGEST_HEADING
from rag.ingest.formats.front_matter import front_matter
from rag.model import Mark, Span

# More headings, fences and tables than any book has: beyond them, sections are not told apart.
MOST_TURNS = 50_000

# What may change the section, or begin code or rows. Each of these patterns looks at a character a
# few times at most: whoever sends a million of them must not stop the server.
_LINE = re.compile(
    r"^(?:(?P<hashes>#{1,6})[ \t]++(?P<heading>.*+)"
    r"| {0,3}(?P<fence>`{3,}+(?!.*`)|~{3,}+).*+"
    r"|(?P<underline>=++|-++)[ \t]*+\r?"
    r"|(?P<rule>(?=.*\|)[ \t]*+\|?(?:[ \t]*+:?-++:?[ \t]*+(?:\||\r?$))++)[ \t]*+\r?)$",
    re.M,
)
_CLOSING_FENCES = {sign: re.compile(rf"^ {{0,3}}({sign}{{3,}}+)[ \t]*+\r?$", re.M) for sign in "`~"}
_ROWS = re.compile(r"(?:(?!#{1,6}[ \t]| {0,3}(?:```|~~~)|>)[^\n|]*+\|.*+\n?)*+")
# What a line of dashes below does not make a heading: quotes, rows, items, code.
_NO_PROSE = re.compile(r"\s*+(?:$|[>|#]|[-*+][ \t]|\d{1,9}[.)][ \t]|```|~~~)| {4}|\t|[=-]++\s*+$")

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


def _turns(text: str, at: int) -> Iterator[_Turn]:
    for _ in range(MOST_TURNS):
        found = _LINE.search(text, at)
        if found is None:
            return
        start, at = found.span()
        above = _line_before(text, start)
        if heading := _unclosed(found["heading"] or ""):
            yield _Turn(start, len(found["hashes"]), heading)
        elif fence := found["fence"]:
            at = _after_code(text, at, fence)
        elif (line := found["underline"]) and not _NO_PROSE.match(text[slice(*above)]):
            yield _Turn(above.start, 1 if line[0] == "=" else 2, text[slice(*above)].strip())
        elif found["rule"] and "|" in text[slice(*above)]:
            rows = Span(at + 1, _after_rows(text, at + 1))
            if rows.start < rows.end:
                yield _Turn(rows.start, header=above)
                at = rows.end
                if at < len(text):
                    yield _Turn(at)


def _line_before(text: str, start: int) -> Span:
    end = max(start - 1, 0)
    begin = text.rfind("\n", 0, end) + 1
    return Span(begin, end - text.endswith("\r", begin, end))


def _after_rows(text: str, start: int) -> int:
    rows = _ROWS.match(text, start)
    return rows.end() if rows else start


def _after_code(text: str, at: int, fence: str) -> int:
    """Where a fence ends that was opened before: at the end of the text if nothing closes it."""
    for closing in _CLOSING_FENCES[fence[0]].finditer(text, at):
        if len(closing[1]) >= len(fence):
            return closing.end()
    return len(text)


def _unclosed(heading: str) -> str:
    """ "All about newts #" is closed by its last sign, and "C#" is not."""
    heading = heading.rstrip()
    opened = heading.rstrip("#")
    return opened.rstrip() if opened[-1:].isspace() or not opened else heading
