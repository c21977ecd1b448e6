"""The numbers of items and headings in OpenDocument texts, which keep but how to count them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias
from xml.etree.ElementTree import Element

from rag.ingest.formats.counting import DEEPEST, Levels, figures
from rag.ingest.formats.package import whole

LONGEST = 40  # characters before a number, and behind it

_NUMBERED = ("list-level-style-number", "outline-level-style")


class _Level(NamedTuple):
    figures: str  # of a bullet, none
    before: str
    behind: str
    start: int
    shown: int  # how many levels, up to this one
    doubled: bool


_Style: TypeAlias = Mapping[int, _Level]


class List:
    """A list that is open, at a depth of others."""

    def __init__(self, name: str, style: _Style, counted: Levels, depth: int) -> None:
        self.name = name
        self.counted = counted
        self.depth = min(depth, DEEPEST)
        self._style = style
        self._entry: Element | None = None  # that has no number yet

    def begin(self, entry: Element) -> None:
        """Begin an entry: an item, or a header, which has no number."""
        self._entry = entry if entry.tag == "list-item" else None

    def number(self) -> str:
        """The number of the entry: of its first paragraph only."""
        entry, self._entry = self._entry, None
        return _next(self._style, self.counted, self.depth, entry) if entry is not None else ""


class Numbering:
    """All lists of a document, and the outline of its headings."""

    def __init__(self, roots: Iterable[Element]) -> None:
        self._styles: dict[str, _Style] = {}
        self._outline: _Style = {}
        for root in roots:
            for style in root.findall("*/list-style"):
                self._styles[style.get("name", "")] = _levels(style)
            for style in root.findall("*/outline-style"):
                self._outline = _levels(style)
        self._headings = Levels()
        self._by_id: dict[str, Levels] = {}
        self._by_style: dict[str, Levels] = {}  # the last one of each

    def open(self, element: Element, outer: List | None) -> List:
        """A list inside of another, if that is open."""
        name = element.get("style-name", outer.name if outer else "")
        style = self._styles.get(name, {})
        goes_on = element.get("continue-numbering") == "true"
        if outer:
            if not goes_on:
                outer.counted.restart(outer.depth + 1)
            return List(name, style, outer.counted, outer.depth + 1)
        before = self._by_style.get(name) if goes_on else None
        counted = self._by_id.get(element.get("continue-list", ""), before) or Levels()
        self._by_style[name] = counted
        if called := element.get("id"):
            self._by_id[called] = counted
        return List(name, style, counted, 0)

    def heading(self, element: Element, level: int) -> str:
        """The number of a heading that is in no list."""
        if element.get("is-list-header") == "true":
            return ""
        restarts = element.get("restart-numbering") == "true"
        return _next(
            self._outline,
            self._headings,
            min(max(level - 1, 0), DEEPEST),
            element if restarts else None,
        )


def _levels(style: Element) -> _Style:
    return {
        number - 1: _Level(
            figures=element.get("num-format", "") if element.tag in _NUMBERED else "",
            before=element.get("num-prefix", "")[:LONGEST],
            behind=element.get("num-suffix", "")[:LONGEST],
            start=whole(element.get("start-value"), 1),
            shown=whole(element.get("display-levels"), 1),
            doubled=element.get("num-letter-sync") == "true",
        )
        for element in style
        if 0 < (number := whole(element.get("level"))) <= DEEPEST + 1
    }


def _next(style: _Style, counted: Levels, depth: int, says: Element | None) -> str:
    """Count on, or from where an element says, and write the number."""
    level = style.get(depth)
    if level is None:
        return ""
    start = level.start
    if says is not None and (told := says.get("start-value")):
        start = whole(told, start)
        counted.restart(depth, depth)
    counted.count(depth, start)
    counted.restart(depth + 1)
    if not level.figures:
        return ""
    numbers = (
        figures(counted.at(at, style[at].start), style[at].figures, doubled=style[at].doubled)
        for at in range(max(depth - level.shown + 1, 0), depth + 1)
        if at in style and style[at].figures
    )
    return f"{level.before}{'.'.join(numbers)}{level.behind}".strip()
