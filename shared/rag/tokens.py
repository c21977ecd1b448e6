"""Exact cl100k_base tokens, offline: the vocabulary is inside the library.

Every text is plain: `<|endoftext|>` in a document is thirteen characters, not a token.
"""

from __future__ import annotations

import re
from array import array
from functools import cache
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

_VOCABULARY = 100_256
# Where a token always begins, whatever stands around: a space or such between two letters, and
# what follows a line end. So the tokens of a part are those of its two edges and, from seam to
# seam, those of the whole text.
_LETTER = "A-Za-zÀ-ÖØ-öø-ÿぁ-ゖァ-ヺ一-鿌"
_SEAM = rf"(?:[{_LETTER}](?=[ 、。][{_LETTER}])|\n(?=\S))"
_FIRST_SEAM = re.compile(_SEAM)
_LAST_SEAM = re.compile(f".*{_SEAM}", re.DOTALL)
_SEAM_REACH = 200
_SURROGATES = re.compile(r"[\ud800-\udfff]")


class _Pieces(Protocol):
    def decode_tokens(self, tokens: list[int]) -> bytes: ...


class _Encoding(Protocol):
    def encode(self, text: str) -> list[int]: ...
    def count(self, text: str) -> int: ...
    def count_till_limit(self, text: str, limit: int) -> int | None: ...
    def bpe(self) -> _Pieces: ...


@cache
def _encoding() -> _Encoding:
    # Imported at first use: most functions of the layer never count.
    from rs_bpe.bpe import openai  # type: ignore[import-not-found]

    return cast(_Encoding, openai.cl100k_base())


@cache
def _lengths() -> NDArray[np.int64]:
    """Bytes per token, filled as tokens are met: the whole vocabulary would cost a cold start."""
    return np.zeros(_VOCABULARY, dtype=np.int64)


def _encodable(text: str) -> str:
    """The text with lone surrogates, which no encoding has, shown as U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", text)
    return text


def count(text: str) -> int:
    """How many tokens a text has."""
    return _encoding().count(_encodable(text))


def fits(text: str, limit: int) -> bool:
    """Whether a text has at most `limit` tokens; stops counting where it has more."""
    return limit >= 0 and _encoding().count_till_limit(_encodable(text), limit) is not None


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
        tokens = np.frombuffer(array("I", _encoding().encode(self._text)), dtype=np.uintc)
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
        first = _FIRST_SEAM.search(self._text, start, min(end, start + _SEAM_REACH))
        last = _LAST_SEAM.match(self._text, max(start, end - _SEAM_REACH), end)
        if not first or not last or first.end() >= last.end():
            return count(self._text[start:end])
        between = self.before(last.end()) - self.before(first.end())
        edges = self._text[start : first.end()], self._text[last.end() : end]
        return between + sum(map(count, edges))


def _byte_lengths(tokens: NDArray[np.uintc]) -> NDArray[np.int64]:
    lengths = _lengths()
    pieces = _encoding().bpe()
    met = np.bincount(tokens, minlength=_VOCABULARY) > 0
    for token in np.flatnonzero(met & (lengths == 0)).tolist():
        lengths[token] = len(pieces.decode_tokens([token]))
    return lengths[tokens]


def _characters(text: str) -> NDArray[np.int64]:
    """For every number of bytes, how many whole characters they hold."""
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    starts = (data & 0xC0) != 0x80
    return np.append(np.cumsum(starts) - 1, len(text))
