"""The document's own outline: which lines are its headings, and where its sections begin."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf

from rag.ingest.formats.layout.line import Bookmark, Line

MOST_LINES = 3  # of a heading

# Numbers of sections stand in one of the two places only.
_NOT_ITS_WORDS = re.compile(r"^[\d.\s]+|\W+")


class Outline:
    """Followed from the first page to the last."""

    def __init__(self, bookmarks: Sequence[Bookmark]) -> None:
        self._levels = {(mark.page, _words(mark.title)): mark.level for mark in bookmarks}
        self._coming = sorted(bookmarks, key=_place, reverse=True)
        self._path: list[Bookmark] = []
        # One bookmark is the title of the document, and no table of contents.
        self._tells_sections = len(bookmarks) > 1

    @property
    def section(self) -> tuple[str, ...] | None:
        """The titles over what was passed last; None if the outline cannot tell."""
        return tuple(mark.title for mark in self._path) if self._tells_sections else None

    def passes(self, page: int, line: Line) -> bool:
        """Go on to this line. Whether a section begins at it."""
        top = (page, -(line.base - 0.3 * line.size))
        before = len(self._coming)
        while self._coming and _place(self._coming[-1]) <= top:
            mark = self._coming.pop()
            while self._path and self._path[-1].level >= mark.level:
                self._path.pop()
            self._path.append(mark)
        return len(self._coming) < before

    def heading(self, page: int, lines: Sequence[Line]) -> tuple[int, int]:
        """Of how many lines and of what level is the heading that these begin with, if any."""
        words = ""
        for count, line in enumerate(lines[:MOST_LINES], 1):
            words = _words(line.text) if count == 1 else words + _words(line.text)
            if level := self._levels.get((page, words)):
                return count, level
        return 0, 0


def _place(mark: Bookmark) -> tuple[int, float]:
    """In the order of reading."""
    return mark.page, -(inf if mark.height is None else mark.height)


def _words(title: str) -> str:
    return _NOT_ITS_WORDS.sub("", title).lower()
