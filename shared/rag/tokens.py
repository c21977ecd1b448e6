"""Exact cl100k_base tokens of plain texts, counted and laid along their characters."""

from __future__ import annotations

import re
from array import array
from functools import cache

import numpy as np
from numpy.typing import NDArray

from rag import cl100k
from rag.cl100k.seams import FIRST_SEAM, LAST_SEAM, SEAM_REACH

_SURROGATES = re.compile(r"[\ud800-\udfff]")


@cache
def _lengths() -> NDArray[np.int64]:
    """Bytes per token, filled as tokens are met: the whole vocabulary would cost a cold start."""
    return np.zeros(cl100k.VOCABULARY, dtype=np.int64)


def _encodable(text: str) -> str:
    """The text with lone surrogates, which no encoding has, shown as U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", text)
    return text


def most(text: str) -> int:
    """More tokens than this no text has, since each is a byte at least: needs no encoding."""
    return len(text.encode(errors="surrogatepass"))


def count(text: str) -> int:
    """How many tokens a text has."""
    return cl100k.encoding().count(_encodable(text))


def fits(text: str, limit: int) -> bool:
    """Whether a text has at most `limit` tokens; stops counting where it has more."""
    if limit < 0:
        return False
    # Most texts that are asked about are short, and loading the encoding takes a while.
    if len(text) <= limit and most(text) <= limit:
        return True
    return cl100k.encoding().fits(_encodable(text), limit)


def truncate(text: str, limit: int) -> str:
    """The longest prefix of at most `limit` tokens: nothing, where the limit is not positive."""
    if limit <= 0:
        return ""
    if fits(text, limit):
        return text
    reach = 4 * (limit + 1)
    while reach < len(text) and fits(text[:reach], limit + 1):
        reach *= 2
    # One token further than allowed: a cut can merge what stands before it into fewer tokens.
    end = Ruler(text[:reach]).after(limit + 1)
    while not fits(text[:end], limit):
        end -= 1
    return text[:end]


class Ruler:
    """A text's tokens laid along its characters, encoded once."""

    def __init__(self, text: str) -> None:
        self._text = _encodable(text)
        # An array first: numpy reads a list of a million integers thrice as slowly.
        tokens = np.frombuffer(array("I", cl100k.encoding().encode(self._text)), dtype=np.uintc)
        bytes_read = np.cumsum(_byte_lengths(tokens))
        self._ends = bytes_read if text.isascii() else _characters(self._text)[bytes_read]

    @property
    def total(self) -> int:
        """Tokens of the whole text."""
        return len(self._ends)

    def before(self, position: int) -> int:
        """Tokens needed for all that stands before a character."""
        if position <= 0:
            return 0
        return int(np.searchsorted(self._ends, position)) + 1

    def after(self, tokens: int) -> int:
        """The characters that the first tokens have completed."""
        if tokens <= 0 or not self.total:
            return 0
        return int(self._ends[min(tokens, self.total) - 1])

    def count(self, start: int, end: int) -> int:
        """How many tokens a part of the text has by itself, where they form anew at its edges."""
        first = FIRST_SEAM.search(self._text, start, min(end, start + SEAM_REACH))
        last = LAST_SEAM.match(self._text, max(start, end - SEAM_REACH), end)
        if not first or not last or first.end() >= last.end():
            return count(self._text[start:end])
        between = self.before(last.end()) - self.before(first.end())
        edges = self._text[start : first.end()], self._text[last.end() : end]
        return between + sum(map(count, edges))


def _byte_lengths(tokens: NDArray[np.uintc]) -> NDArray[np.int64]:
    lengths = _lengths()
    encoding = cl100k.encoding()
    met = np.bincount(tokens, minlength=cl100k.VOCABULARY) > 0
    for token in np.flatnonzero(met & (lengths == 0)).tolist():
        lengths[token] = len(encoding.bytes_of(token))
    return lengths[tokens]


def _characters(text: str) -> NDArray[np.int64]:
    """For every number of bytes, how many whole characters they hold."""
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    starts = (data & 0xC0) != 0x80
    return np.append(np.cumsum(starts) - 1, len(text))
