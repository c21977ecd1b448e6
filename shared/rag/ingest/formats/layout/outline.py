"""The document's own outline: which lines are its titles, and which section each line is in."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import inf
from typing import NamedTuple

from rag.ingest.formats.layout.line import Bookmark, Line

MOST_LINES = 3  # of a title

# Numbers of sections stand in one of the two places only.
_NOT_ITS_WORDS = re.compile(r"^[\d.\s]+|\W+")


class Place(NamedTuple):
    """What the outline says of a line."""

    section: tuple[str, ...] | None = None  # the titles over it; None if the outline cannot tell
    is_first: bool = False  # of its section
    level: int = 0  # of the title that begins here, if one does
    lines: int = 0  # of that title


class Outline:
    """Followed from the first page to the last."""

    def __init__(self, bookmarks: Sequence[Bookmark]) -> None:
        self._bookmarks = defaultdict[int, list[Bookmark]](list)
        for mark in bookmarks:
            self._bookmarks[mark.page].append(mark)
        self._path: list[Bookmark] = []
        # One bookmark is the title of the document, and no table of contents.
        self._tells_sections = len(bookmarks) > 1

    def places(self, page: int, lines: Sequence[Line]) -> Iterator[Place]:
        """One for each line of the next page."""
        coming = _found(self._bookmarks.get(page, ()), lines)
        for at in range(len(lines)):
            opened = [found for found in coming if found.at == at]
            for found in opened:
                self._open(found.mark)
            title = max(opened, key=lambda found: found.lines, default=None)
            if title and title.lines:
                yield Place(self._section, True, title.mark.level, title.lines)
            else:
                yield Place(self._section, bool(opened))
        for found in coming:
            if found.at == len(lines):
                self._open(found.mark)

    @property
    def _section(self) -> tuple[str, ...] | None:
        return tuple(mark.title for mark in self._path) if self._tells_sections else None

    def _open(self, mark: Bookmark) -> None:
        while self._path and self._path[-1].level >= mark.level:
            self._path.pop()
        self._path.append(mark)


class _Found(NamedTuple):
    """A bookmark, and the line that it is at."""

    at: int
    lines: int  # those that are its title; 0 if its title is not on the page
    mark: Bookmark


def _found(bookmarks: Sequence[Bookmark], lines: Sequence[Line]) -> list[_Found]:
    titles = _titles(lines) if bookmarks else {}
    found: list[_Found] = []
    for mark in bookmarks:
        same = titles.get(_words(mark.title))
        if same:
            at, count = same.pop(0)
        else:
            least = found[-1].at if found else 0
            at, count = max(least, _by_height(mark, lines)), 0
        found.append(_Found(at, count, mark))
    return found


def _titles(lines: Sequence[Line]) -> dict[str, list[tuple[int, int]]]:
    """All that may be a title: where it begins and of how many lines it is."""
    found = defaultdict[str, list[tuple[int, int]]](list)
    words = [_words(line.text) for line in lines]
    for at in range(len(lines)):
        for count in range(1, min(MOST_LINES, len(lines) - at) + 1):
            found["".join(words[at : at + count])].append((at, count))
    return found


def _by_height(mark: Bookmark, lines: Sequence[Line]) -> int:
    height = inf if mark.height is None else mark.height
    below = (at for at, line in enumerate(lines) if line.base - 0.3 * line.size <= height)
    return next(below, len(lines))


def _words(title: str) -> str:
    return _NOT_ITS_WORDS.sub("", title).lower()
