"""Lines into running text, over the hyphens at their ends."""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import east_asian_width

from rag.ingest.formats.layout.line import Line, ends_cut

# Shorter ones are syllables as often as words.
SHORTEST_HALF = 3

_WORD = r"[^\W\d_]+(?:-[^\W\d_]+)*"
_WORDS = re.compile(_WORD)
_LAST_WORD = re.compile(rf"{_WORD}$")


class Joiner:
    """Knows the words of the document, and so which hyphens belong to them."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._known = set[str]()
        after_cut = False
        for line in lines:
            words = _WORDS.findall(line.text.lower())
            # Halves of words are not known.
            self._known.update(words[after_cut : len(words) - line.is_cut])
            after_cut = line.is_cut

    def joined(self, lines: Iterable[Line]) -> str:
        """The lines of a paragraph as one."""
        pieces: list[str] = []
        before: Line | None = None
        for line in lines:
            if before and before.is_cut:
                stem = pieces.pop()[:-1]
                pieces += stem, "-" if self._keeps_hyphen(stem, line.text) else ""
            elif before and not (is_wide(before.text[-1]) and is_wide(line.text[0])):
                pieces.append(" ")
            pieces.append(line.text)
            before = line
        return "".join(pieces)

    def mended(self, text: str, more: str) -> tuple[str, str]:
        """The same two pieces, but a word that is cut between them whole in the first."""
        if not ends_cut(text):
            return text, more
        word, _, rest = more.partition(" ")
        hyphen = "-" if self._keeps_hyphen(text[:-1], word) else ""
        return f"{text[:-1]}{hyphen}{word}", rest

    def _keeps_hyphen(self, stem: str, more: str) -> bool:
        head, tail = _LAST_WORD.search(stem), _WORDS.match(more)
        if not head or not tail:
            return True
        before, after = head[0].lower(), tail[0].lower()
        if not more[0].islower():
            return before + after not in self._known
        if f"{before}-{after}" in self._known:
            return True
        first, second = before.rpartition("-")[2], after.partition("-")[0]
        if {first + second, before + after} & self._known:
            return False
        halves = {first, second}
        return halves <= self._known and min(map(len, halves)) >= SHORTEST_HALF


def is_wide(letter: str) -> bool:
    """Whether it is of a script without spaces between words."""
    return east_asian_width(letter) in "WF" and not "가" <= letter <= "힣"
