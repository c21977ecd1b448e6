"""The words of one page of a PDF, and where PDFium says that they stand."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from ctypes import byref, c_double, c_ushort
from itertools import groupby
from math import atan2, hypot, isfinite, pi
from operator import itemgetter

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from rag.ingest.formats.layout.line import Line, Page, Word, lines

LARGEST = 10_000  # points, of a letter

# U+FFFE is a hyphen at the end of a line, and then nothing else says that the line ends.
_LINE = re.compile("[^\r\n\0\ufffe]+\ufffe?")
_WORD = re.compile(r"\S+")


def directions(number: int, page: pdfium.PdfPage) -> list[Page]:
    """The page, once for each direction that its text runs in: that of most of it comes last, so
    that nothing stands between its end and the next page."""
    left, bottom, right, top = page.get_bbox()
    width, height = right - left, top - bottom
    found = _lines(_Letters(page, (left, bottom, width, height)))
    by_length = sorted(found, key=lambda turns: sum(line.words for line in found[turns]))
    return [
        Page(
            number,
            width if turns % 2 == 0 else height,
            height if turns % 2 == 0 else width,
            found[turns],
            turns,
            is_main=turns == by_length[-1],
        )
        for turns in by_length
    ]


def _lines(letters: _Letters) -> dict[int, list[Line]]:
    found = defaultdict[int, list[Line]](list)
    for line in _LINE.finditer(letters.text):
        words = letters.words(*line.span())
        for turns, together in groupby(words, key=itemgetter(0)):
            found[turns] += lines(word for _, word in together)
    return found


class _Letters:
    """PDFium's view of a page, asked as seldom as can be: each call takes a while."""

    def __init__(self, page: pdfium.PdfPage, frame: tuple[float, float, float, float]) -> None:
        self._x, self._y, self._width, self._height = frame
        self._textpage = page.get_textpage()  # held: its handle dies with it
        self._handle = self._textpage.raw
        self._boxes, self._matrix = (raw.FS_RECTF(), raw.FS_RECTF()), raw.FS_MATRIX()
        self._origin = c_double(), c_double()
        count = raw.FPDFText_CountChars(self._handle)
        self.text = self._all(count) if count > 0 else ""
        self._is_direct = len(self.text) == count

    def words(self, start: int, end: int) -> Iterator[tuple[int, Word]]:
        """The words of this stretch that are on the page, each with the quarter turns of its
        direction, against the clock."""
        for found in _WORD.finditer(self.text, start, end):
            first, last = self._index(found.start()), self._index(found.end() - 1)
            if first < 0 or last < 0:
                continue
            turns, size = self._look(first)
            word = Word(_whole(found[0]), *self._place(first, last, turns), size)
            if self._is_seen(word, turns):
                yield turns, word

    def _is_seen(self, word: Word, turns: int) -> bool:
        """Whether it is on the page. Damaged files have words at places that are no numbers."""
        width, height = self._width, self._height
        if turns % 2:
            width, height = height, width
        is_within = -width < word.left < width and 0 < word.right < 2 * width
        return is_within and -1 < word.base < height and word.size < LARGEST

    def _all(self, count: int) -> str:
        buffer = (c_ushort * (count + 1))()
        written = max(raw.FPDFText_GetText(self._handle, 0, count, buffer) - 1, 0)
        text = bytes(buffer).decode("utf-16-le", "surrogatepass")
        # PDFium counts halves of surrogate pairs, and so must we.
        return text[:written] if len(text) > count else "".join(map(chr, buffer[:written]))

    def _index(self, position: int) -> int:
        """Of the letter: there may be more or fewer of them than in the text."""
        if self._is_direct:
            return position
        index: int = raw.FPDFText_GetCharIndexFromTextIndex(self._handle, position)
        return index

    def _look(self, letter: int) -> tuple[int, float]:
        """Quarter turns of its direction, and its size as it is seen."""
        matrix = self._matrix
        raw.FPDFText_GetMatrix(self._handle, letter, byref(matrix))
        size = raw.FPDFText_GetFontSize(self._handle, letter)
        if matrix.b == 0 < matrix.a:
            turns = 0
        else:
            angle = atan2(matrix.b, matrix.a)
            # Of damaged files it may be no number, and then the word is nowhere on the page.
            turns = round(2 * angle / pi) % 4 if isfinite(angle) else 0
        return turns, (hypot(matrix.c, matrix.d) or 1) * size or 1

    def _place(self, first: int, last: int, turns: int) -> tuple[float, float, float]:
        """Left, baseline and right of a word on the page, after it is turned back."""
        one, two = self._boxes
        raw.FPDFText_GetLooseCharBox(self._handle, first, byref(one))
        if first == last:
            two = one
        else:
            raw.FPDFText_GetLooseCharBox(self._handle, last, byref(two))
        x, y = self._origin
        raw.FPDFText_GetCharOrigin(self._handle, first, byref(x), byref(y))
        if turns % 2:
            start, end = min(one.bottom, two.bottom) - self._y, max(one.top, two.top) - self._y
            base, along, across = x.value - self._x, self._height, self._width
        else:
            start, end = min(one.left, two.left) - self._x, max(one.right, two.right) - self._x
            base, along, across = y.value - self._y, self._width, self._height
        if turns in (2, 3):
            start, end = along - end, along - start
        if turns in (1, 2):
            base = across - base
        return start, base, end


def _whole(text: str) -> str:
    """With its surrogate pairs as one letter each."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
