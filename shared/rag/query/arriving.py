"""Sentences of a text that is still being written.

Which sentences come out depends on the text alone, not on the pieces in which it arrives: a
streamed answer and a whole one are cut alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.sentences import STOPS, sentences

# Where a sentence ends is certain once so many characters follow it.
HOLD = 24
# A long text is looked at less often, since each look is at all of it.
LOOKS = 64

_STOP = re.compile(rf"[{STOPS}\n]")
# "… 140 euros. [1] Breakfast …": the marker is of the sentence before it.
_MARKERS = re.compile(r"(?:\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\][^\S\n]*+)+\s*+")


class Arriving:
    """Takes a text in pieces and gives its sentences, each with the white space after it."""

    def __init__(self) -> None:
        self._text = ""
        self._given = 0
        self._looked = 0

    def feed(self, piece: str) -> Iterator[str]:
        """The sentences that are certain now."""
        before = len(self._text)
        self._text += piece
        for stop in _STOP.finditer(self._text, before):
            here = stop.end()
            if here - self._looked >= max(HOLD, here // LOOKS):
                self._looked = here
                yield from self._given_of(self._text[:here], HOLD)

    def rest(self) -> Iterator[str]:
        """The sentences that were still held back, now that there is no more."""
        yield from self._given_of(self._text, 0)
        if self._given < len(self._text):
            yield self._text[self._given :]
            self._given = len(self._text)

    def _given_of(self, text: str, hold: int) -> Iterator[str]:
        for start in _starts(text):
            if self._given < start <= len(text) - hold:
                yield text[self._given : start]
                self._given = start


def _starts(text: str) -> Iterator[int]:
    for start, _ in sentences(text)[1:]:
        markers = _MARKERS.match(text, start) if text[start - 1] != "\n" else None
        yield markers.end() if markers else start
