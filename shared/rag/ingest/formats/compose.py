"""Blocks into one text in the manner of Markdown, with marks that say where each is from."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rag.errors import Unreadable
from rag.ingest.formats.block import BAR, Block, Reading
from rag.ingest.wholes import is_item
from rag.model import Mark, Parsed, Span

LONGEST_TITLE = 2048
LONGEST_PROPERTY = 2048
# It is kept with every chunk that is under it.
LONGEST_HEADING = 200
# Some formats know as many levels as there are numbers.
LOWEST_HEADING = 10

# Half a surrogate pair is no character, and no store keeps it or a null.
_NO_TEXT = re.compile("[\0\ud800-\udfff]")
# They would clear the screen of whoever lists titles, or colour it.
_UNSHOWN = re.compile("[\x01-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
_FENCES = re.compile("`{3,}")

# What follows on the next line; between other blocks there is an empty one.
_TIGHT = frozenset({("item", "item"), ("row", "row"), ("header", "row")})


def compose(reading: Reading) -> Parsed:
    """The text of a file. Raises Unreadable where there is none."""
    composer = _Composer()
    for block in reading.blocks:
        composer.add(block)
    text = "".join(composer.pieces)
    if not text.strip():
        raise Unreadable("has no text")
    title = one_line(reading.title) or composer.title
    properties = {
        name: one_line(value)[:LONGEST_PROPERTY] for name, value in reading.properties.items()
    }
    return Parsed(
        text=text,
        title=title[:LONGEST_TITLE],
        marks=tuple(composer.marks),
        properties={name: value for name, value in properties.items() if value},
        cautions=reading.cautions,
    )


def one_line(text: str) -> str:
    """What is shown on one line: a title, a heading."""
    return " ".join(_UNSHOWN.sub("", _cleaned(text)).split())


class _Composer:
    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.marks: list[Mark] = []
        self.title = ""  # the first heading of the highest level
        self._length = 0
        self._path: list[tuple[int, str]] = []
        self._header: Span | None = None
        self._before: Block | None = None

    def add(self, block: Block) -> None:
        is_heading = block.kind == "heading"
        told = one_line if is_heading else _cleaned
        if not told(block.text).strip() and block.kind != "verbatim":
            return
        text = told(block.numbered if is_heading else block.text)
        if is_heading:
            self._open(min(block.level, LOWEST_HEADING), text)
        if block.kind != "row":
            self._header = None
        self._put(self._gap(block))
        start = self._length
        # The first mark holds from the very beginning, also of text that begins with a gap.
        self._mark(block, start)
        self._put("".join(_written(block, text)))
        if block.kind == "header":
            self._header = Span(start, start + len(text))
        self._before = block

    def _open(self, level: int, heading: str) -> None:
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        self._path.append((level, heading))
        if level == 1 and not self.title:
            self.title = heading

    def _gap(self, block: Block) -> str:
        before = self._before
        if before is None or before.kind == block.kind == "verbatim":
            return ""
        if block.continues and before.kind == block.kind == "paragraph":
            return " "
        return "\n" if (before.kind, block.kind) in _TIGHT else "\n\n"

    def _mark(self, block: Block, start: int) -> None:
        section = block.section
        if section is None:
            section = tuple(heading for _, heading in self._path)
        section = tuple(heading[:LONGEST_HEADING] for heading in section[-LOWEST_HEADING:])
        mark = Mark(start, block.page, section, self._header)
        if not self.marks or self.marks[-1][1:] != mark[1:]:
            self.marks.append(mark)

    def _put(self, text: str) -> None:
        self.pieces.append(text)
        self._length += len(text)


def _written(block: Block, text: str) -> Iterable[str]:
    match block.kind:
        case "heading":
            yield f"{'#' * min(max(block.level, 1), 6)} {text}"
        case "item":
            indent = "  " * block.level
            yield f"{indent}{_sign(block)} " + text.replace("\n", "\n  " + indent)
        case "quote":
            yield "> " + text.replace("\n", "\n> ")
        case "code":
            longest = max(map(len, _FENCES.findall(text)), default=2)
            fence = "`" * (longest + 1)
            yield f"{fence}\n{text}\n{fence}"
        case "header":
            yield text
            yield f"\n|{' --- |' * (text.replace(BAR, '').count('|') - 1)}"
        case _:
            yield text


def _sign(item: Block) -> str:
    """What an item begins with: a number stands for the dash if it makes an item by itself."""
    number = one_line(item.number)
    if not number:
        return "-"
    return number if is_item(f"{number} ") else f"- {number}"


def _cleaned(text: str) -> str:
    """Nearly all text is clean, and then nothing is copied."""
    if not _NO_TEXT.search(text):
        return text
    return _NO_TEXT.sub(lambda found: "" if found[0] == "\0" else "\ufffd", text)
