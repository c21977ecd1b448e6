"""Where words stand on a page. Lengths are in points, from the page's lower left corner."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple
from unicodedata import normalize

# Further apart than this, in sizes of their letters, words are of different columns or cells.
WIDEST_SPACE = 1.3
SAME_BASE = 0.5
SHADOW = 0.3
OUT_OF_COLUMN = 0.02  # widths of a letter

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")

# Ligatures, and signs that are not for the eye.
_SIGNS = {ord(sign): normalize("NFKC", sign) for sign in "ﬀﬁﬂﬃﬄﬅﬆ"} | dict.fromkeys(
    map(ord, "\0\x02\ufffe\uffff\u00ad")
)
_LEADERS = re.compile(r"(?:\s?[.…·]){4,}\s*")
_ENTRY = re.compile(r" … [\divxlc]+$")
_ENDS = (".", "!", "?", ":", ";", "。", "！", "？", ".”", '."', ".)")
_HYPHENS = ("-", "‐", "\u00ad", "\ufffe")


class Word(NamedTuple):
    """Letters without a space between them."""

    text: str
    left: float
    base: float
    right: float
    size: float  # of the font, as it is seen on the page


@dataclass(frozen=True, slots=True)
class Line:
    """Words on one baseline."""

    text: str
    left: float
    base: float
    right: float
    size: float
    words: int = 1
    edges: Sequence[float] = ()  # the left and the right of each word
    cells: tuple[str, ...] = ()  # where wide gaps part it
    step: float = 0  # the width of a letter
    typed: str = ""  # the text with all of its spaces, if all letters are of one width

    @property
    def width(self) -> float:
        """From its first letter to its last."""
        return self.right - self.left

    @property
    def middle(self) -> float:
        """Half way between its ends."""
        return (self.left + self.right) / 2

    @property
    def parts(self) -> list[Word]:
        """Its words, each where it stands; or itself, where they are not known one by one."""
        words = self.text.split()
        if 2 * len(words) != len(self.edges):
            return [Word(self.text, self.left, self.base, self.right, self.size)]
        places = zip(words, self.edges[::2], self.edges[1::2], strict=True)
        return [Word(text, left, self.base, right, self.size) for text, left, right in places]

    @property
    def is_cut(self) -> bool:
        """Whether a hyphen at its end parts a word."""
        return ends_cut(self.text)

    @property
    def is_entry(self) -> bool:
        """Whether it is of a table of contents."""
        return bool(_ENTRY.search(self.text))


@dataclass(frozen=True, slots=True)
class Page:
    """All lines of a page that run in the same direction, turned so that they run to the right."""

    number: int  # from 1
    width: float
    height: float
    lines: Sequence[Line]
    turns: int = 0  # by so many quarters it was turned back, with the clock
    is_main: bool = True  # most of the page's text runs in this direction


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the document's own outline."""

    title: str
    level: int  # from 1
    page: int
    height: float | None = None  # on the page; without one, the top


def lines(words: Iterable[Word]) -> Iterator[Line]:
    """Words of a line, or what was taken for one, parted where a gap is wide."""
    together: list[Word] = []
    for word in words:
        if together and not _follows(word, together):
            yield from _line(together)
            together = []
        together.append(word)
    yield from _line(together)


def without_shadows(lines: Iterable[Line]) -> Iterator[Line]:
    """Each line once: some are drawn twice, a little aside, to look bold or to have a shadow."""
    last: dict[str, Line] = {}
    for line in lines:
        same = last.get(line.text)
        if not same or not _is_shadow(line, same):
            last[line.text] = line
            yield line


def rows(lines: Iterable[Line]) -> list[list[Line]]:
    """Lines on about one baseline, from the top of the page; each row from the left."""
    found: list[list[Line]] = []
    for line in sorted(lines, key=lambda one: -one.base):
        if found and _is_level(found[-1][0], line):
            found[-1].append(line)
        else:
            found.append([line])
    return [sorted(row, key=lambda one: one.left) for row in found]


def ends_cut(text: str) -> bool:
    """Whether a hyphen at the end of a text parts a word."""
    return text.endswith("-") and text[-2:-1].isalnum()


def has_ended(text: str) -> bool:
    """Whether its last sentence is complete."""
    return text.endswith(_ENDS)


def is_right_to_left(texts: Iterable[str]) -> bool:
    """Whether most letters are Hebrew or Arabic."""
    text = "".join(texts)
    found = len(_RIGHT_TO_LEFT.findall(text))
    return found > 0 and 2 * found > sum(map(str.isalpha, text))


def in_columns(pieces: Iterable[tuple[float, float, str]], step: float) -> str:
    """Pieces of a line, each with its left and its right, if every letter has a place of this
    width, as on a typewriter; nothing otherwise."""
    if step <= 0:
        return ""
    text = ""
    begin: float | None = None
    for left, right, piece in pieces:
        begin = left if begin is None else begin
        column, width = (left - begin) / step, (right - left) / step
        if abs(column - round(column)) > OUT_OF_COLUMN or abs(width - len(piece)) > OUT_OF_COLUMN:
            return ""
        text = text.ljust(round(column)) + piece
    return text


def usual_size(lines: Iterable[Line]) -> float:
    """The size of most of the text."""
    return median([line.size for line in lines for _ in range(min(line.words, 30))])


def _is_shadow(line: Line, of: Line) -> bool:
    aside = max(abs(line.left - of.left), abs(line.right - of.right), abs(line.base - of.base))
    return aside < SHADOW * line.size


def _is_level(one: Line, other: Line) -> bool:
    """Whether they are on one baseline, or nearly so: the signs of footnotes are raised."""
    small, large = sorted((one.size, other.size))
    return abs(one.base - other.base) < min(0.45 * large, 0.65 * small)


def _follows(word: Word, before: Sequence[Word]) -> bool:
    last = before[-1]
    size = max(last.size, word.size)
    if abs(word.base - before[0].base) >= SAME_BASE * size:
        return False
    if -0.5 * size < word.left - last.right < WIDEST_SPACE * size:
        return True
    leftwards = -0.5 * size < last.left - word.right < WIDEST_SPACE * size
    return leftwards and is_right_to_left((word.text,))


def _line(words: Sequence[Word]) -> Iterator[Line]:
    text = " ".join(word.text for word in words)
    if text.endswith(_HYPHENS):
        text = text[:-1] + "-"
    text = _LEADERS.sub(" … ", text.translate(_SIGNS)).strip()
    if text:
        # A line may begin with the small sign of a footnote.
        longest = max(words, key=lambda word: len(word.text))
        step = (longest.right - longest.left) / len(longest.text)
        typed = in_columns(((word.left, word.right, word.text) for word in words), step)
        yield Line(
            text=text,
            left=min(word.left for word in words),
            base=longest.base,
            right=max(word.right for word in words),
            size=longest.size,
            words=len(words),
            # Not the words: there are millions of them in a long document.
            edges=array("f", (edge for word in words for edge in (word.left, word.right))),
            step=step,
            typed=typed,
        )
