"""Cut a document into chunks of at most so many tokens."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right

from rag import tokens
from rag.errors import TooLarge
from rag.ingest.wholes import wholes
from rag.model import Chunk, Span
from rag.sentences import sentences

# An overlap of nearly all makes a chunk of every token.
MOST_CHUNKS = 50_000

_LAST_LINE_END = re.compile(r".*\n", re.DOTALL)
_LAST_WORD_END = re.compile(r".*[\s、，；：]", re.DOTALL)
_WORD_GAP = re.compile(r"[\s、，；：]+")


def windows(text: str, size: int = 512, overlap: int = 50) -> list[Chunk]:
    """Chunks of at most `size` tokens that cover a text without a gap, each beginning up to
    `overlap` tokens before the end of the one before it. Raises TooLarge.

    List items and code between fences are not cut where they fit in a chunk. A character that
    alone has more than `size` tokens, four at most, is a chunk of its own.
    """
    if size < 1:
        raise ValueError("size must be at least 1")
    if not 0 <= overlap < size:
        raise ValueError("overlap must be at least 0 and less than size")
    if tokens.fits(text, size):
        return [Chunk(0, 0, len(text), text)] if text else []
    cutter = _Cutter(text, size, overlap)
    chunks: list[Chunk] = []
    start = covered = 0
    while covered < len(text):
        end = cutter.end(start, covered)
        if end == covered:  # the overlap leaves no room for anything new
            start, end = covered, cutter.end(covered, covered)
        if len(chunks) == MOST_CHUNKS:
            raise TooLarge(f"The text has more than {MOST_CHUNKS} chunks of {size} tokens.")
        chunks.append(Chunk(len(chunks), start, end, text[start:end]))
        start, covered = cutter.next_start(start, end), end
    return chunks


class _Cutter:
    """Plans each cut on the tokens of the whole text, then counts what was cut out: tokens form
    differently at its edges."""

    def __init__(self, text: str, size: int, overlap: int) -> None:
        self._text = text
        self._size = size
        self._overlap = overlap
        self._ruler = tokens.Ruler(text)
        self._wholes = [one for one in wholes(text) if self._ruler.count(*one) <= size]
        self._whole_starts = [one.start for one in self._wholes]
        self._sentences = [one.start for one in sentences(text) if not self._parted(one.start)]

    def end(self, start: int, covered: int) -> int:
        """The end of the chunk that begins at `start`; `covered` if nothing beyond that fits."""
        first = self._ruler.before(start)
        rest = self._ruler.total - first
        room = self._size if rest <= self._size else self._balanced(rest)
        while room > 0:
            end = self._cut(first, room, covered)
            if end <= covered:
                break
            excess = self._ruler.count(start, end) - self._size
            if excess <= 0:
                return end
            room = min(room, self._ruler.before(end) - first) - excess
            if end == len(self._text):
                room = min(room, self._balanced(self._size + excess))
        return covered if covered > start else start + 1

    def next_start(self, start: int, end: int) -> int:
        """The start of the chunk after the one from `start` to `end`."""
        last = self._ruler.before(end)
        room = self._overlap
        while room > 0:
            begin = self._begin(max(start + 1, self._ruler.after(last - room)), end)
            excess = self._ruler.count(begin, end) - self._overlap
            if excess <= 0:
                return begin
            room = min(room, last - self._ruler.before(begin)) - excess
        return end

    def _balanced(self, rest: int) -> int:
        """The room of a chunk with `rest` tokens to go: the last two share what is left."""
        total = rest + self._overlap
        return self._size if total > 2 * self._size else min(self._size, total * 5 // 8)

    def _cut(self, first: int, room: int, covered: int) -> int:
        """The best place to end in `room` tokens after `first`, if it can be past `covered`."""
        limit = self._ruler.after(first + room)
        if limit <= covered or limit == len(self._text):
            return limit
        if (whole := self._parted(limit)) is not None:
            if whole.start > covered:
                return self._before_heading(whole.start, covered)
            return whole.end if self._ruler.after(first) >= covered else covered
        half = max(covered, self._ruler.after(first + room // 2))
        if sentence := self._sentence(half, self._ruler.after(first + room * 2 // 3), limit):
            return sentence
        line = _LAST_LINE_END.match(self._text, half, limit)
        word = line or _LAST_WORD_END.match(self._text, half, limit)
        end = word.end() if word else limit
        while end > half and self._is_inside_character(end):
            end -= 1
        return end if end > half else limit

    def _sentence(self, half: int, most: int, limit: int) -> int | None:
        """The last start of a paragraph that leaves the window mostly full, or else the last
        start of a sentence that leaves it half full."""
        best = None
        index = bisect_right(self._sentences, limit) - 1
        while (position := self._sentences[index]) > half:
            if position < most and best:
                break
            before = self._text[self._sentences[index - 1] : position]
            if not before.startswith("#"):  # a heading stays with what it heads
                gap = before[len(before.rstrip()) :]
                if position >= most and (gap.count("\n") > 1 or self._text[position] == "#"):
                    return position
                best = best or position
            index -= 1
        return best

    def _parted(self, position: int) -> Span | None:
        """The item or fence that a cut at this position would part."""
        index = bisect_left(self._whole_starts, position) - 1
        if index >= 0 and position < self._wholes[index].end:
            return self._wholes[index]
        return None

    def _before_heading(self, position: int, covered: int) -> int:
        """A heading goes with the item or fence that it heads, if anything new is before it."""
        index = bisect_left(self._sentences, position) - 1
        heading = self._sentences[index] if index >= 0 else covered
        return heading if heading > covered and self._text[heading] == "#" else position

    def _begin(self, earliest: int, end: int) -> int:
        """The first sentence from `earliest` on, or else the first word, or that very place."""
        index = bisect_left(self._sentences, earliest)
        if index < len(self._sentences) and self._sentences[index] < end:
            return self._sentences[index]
        if (whole := self._parted(earliest)) is not None:
            return min(whole.end, end)
        gap = _WORD_GAP.search(self._text, earliest - 1, end)
        if gap and gap.end() < end:
            return gap.end()
        while earliest < end and self._is_inside_character(earliest):
            earliest += 1
        return earliest

    def _is_inside_character(self, position: int) -> bool:
        """Whether a cut would part what a reader sees as one character."""
        if position >= len(self._text):
            return False
        before, after = self._text[position - 1], self._text[position]
        return (
            unicodedata.category(after).startswith("M")
            or "\u200d" in (before, after)
            or "\U0001f3fb" <= after <= "\U0001f3ff"  # skin tones
            or (before == "\r" and after == "\n")
        )
