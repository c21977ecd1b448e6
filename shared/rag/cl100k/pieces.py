"""The pieces of a text, inside which tokens are merged: a word, some digits, signs, blanks.

What a letter is depends on the version of Unicode, and tiktoken's is neither Python's nor the
newest. So tiktoken is asked itself, about each character of a text once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import numpy as np
import tiktoken
from numpy.typing import NDArray

# As published with the ranks.
PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
# The same over classes of characters, written as: x or the letter itself where contractions have
# it, 0 for digits, a line end, a space, a tab for other blanks, an apostrophe, a dot for the rest.
_PIECE = re.compile(
    r"'(?:[sdmt]|ll|ve|re)|[ \t.']?+[a-z]++|0{1,3}+| ?[.']++\n*+"
    r"|[ \t\n]++\Z|[ \t\n]*\n|[ \t\n]+(?![^ \t\n])|[ \t\n]"
)
_IN_CONTRACTIONS = {**{char: char.lower() for char in "sdmtlvreSDMTLVRE"}, "ſ": "s"}
# A piece has letters only or none at all, but for its first character.
_RUN = 256  # characters
_UNKNOWN, _LETTER, _OTHER = range(3)
_ASCII, _BMP = 0x80, 0x10000


def may_have_long_ones(text: str) -> bool:
    """Whether there may be a piece of more than some 256 characters; cheap, and never wrong if
    it says no."""
    if len(text) <= _RUN:
        return False
    if text.isascii():
        kinds = _kinds(_ASCII)[np.frombuffer(text.encode(), np.uint8)]
    else:
        points = np.frombuffer(text.encode("utf-32-le"), "<u4")
        kinds = _kinds(_BMP)[np.minimum(points, _BMP - 1)]  # the last of these is no character
    return _has_run(kinds != _LETTER) or _has_run(kinds != _OTHER)


def _has_run(flags: NDArray[np.bool_]) -> bool:
    return b"\1" * _RUN in flags.tobytes()


@cache
def _kinds(size: int) -> NDArray[np.uint8]:
    """What the first characters are beyond doubt: a letter, or something else that this Python's
    Unicode knows."""
    return np.frombuffer(bytes(map(_kind, map(chr, range(size)))), np.uint8)


def _kind(char: str) -> int:
    if char.isalpha():
        return _LETTER
    return _OTHER if char.isprintable() or char.isspace() else _UNKNOWN


class CharacterClasses(dict[int, str]):
    """The class of every character that has been met, as str.translate wants it."""

    def __init__(self) -> None:
        super().__init__()
        names = {r"\p{L}": "x", r"\p{N}": "0", r"\s": "\t"}
        self._named = [(_Filter(pattern), name) for pattern, name in names.items()]
        self._own = {**_IN_CONTRACTIONS, "\r": "\n", "\n": "\n", " ": " ", "'": "'"}

    def learn(self, text: str) -> None:
        """Ask for the classes of a text's characters."""
        unknown = "".join(char for char in set(text) if ord(char) not in self)
        new = dict.fromkeys(unknown, ".")
        for named, name in self._named:
            new |= dict.fromkeys(named(unknown), name)
        self.update({ord(char): self._own.get(char, name) for char, name in new.items()})


class _Filter:
    """The characters of a text that a pattern of tiktoken's matches."""

    def __init__(self, pattern: str) -> None:
        single_bytes = {bytes([byte]): byte for byte in range(256)}
        self._library = tiktoken.Encoding(
            pattern, pat_str=pattern, mergeable_ranks=single_bytes, special_tokens={}
        )

    def __call__(self, text: str) -> str:
        return bytes(self._library.encode_ordinary(text)).decode()


def pieces(text: str, classes: CharacterClasses) -> Iterator[str]:
    """All pieces of a text, in order."""
    classes.learn(text)
    for match in _PIECE.finditer(text.translate(classes)):
        yield text[match.start() : match.end()]
