"""The numbers that Word writes before items and headings, and keeps nowhere: they are counted."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple
from xml.etree.ElementTree import Element

from rag.ingest.formats.counting import DEEPEST, Levels, figures
from rag.ingest.formats.package import whole

LONGEST = 40  # characters of a number, with the words around it

_NO_LIST = "0"
_FIGURES = {
    "decimalZero": "01",
    "lowerLetter": "a",
    "upperLetter": "A",
    "lowerRoman": "i",
    "upperRoman": "I",
    "none": "",
}
_PLACE = re.compile("%([1-9])")  # where a number of a level stands


class Place(NamedTuple):
    """The list that a paragraph or a style is in, and at which level: as far as it says so."""

    list: str = ""
    level: int | None = None

    @property
    def is_listed(self) -> bool:
        return self.list not in ("", _NO_LIST)

    def over(self, other: Place) -> Place:
        """What it does not say itself is as the other says."""
        return Place(self.list or other.list, other.level if self.level is None else self.level)


def place(says: Element | None) -> Place:
    """What the properties of a paragraph or a style say."""
    numbering = says.find("numPr") if says is not None else None
    if numbering is None:
        return Place()
    level = value(numbering, "ilvl")
    return Place(value(numbering, "numId"), min(whole(level), DEEPEST) if level else None)


class _Level(NamedTuple):
    start: int
    figures: str
    text: str  # with a place for each number: "%1.%2"; of a bullet, none
    plain: bool  # all of its numbers are in digits
    restarts_after: int  # so many levels from the first on
    style: str  # whose paragraphs are of this level


class _List(NamedTuple):
    counted: str  # lists of one kind count on after each other
    levels: Mapping[int, _Level]
    restarts: Mapping[int, int]  # levels that begin anew with it, and at which number


class Numbering:
    """The lists of a document, counted on with each of their paragraphs."""

    def __init__(self, root: Iterable[Element] = ()) -> None:
        kinds: dict[str, Mapping[int, _Level]] = {}
        styled: dict[str, str] = {}  # the kind that a style defines
        links: dict[str, str] = {}  # the style that defines a kind
        lists: list[Element] = []
        for element in root:
            name = element.get("abstractNumId", "")
            if element.tag == "abstractNum":
                kinds[name] = _levels(element.findall("lvl"))
                styled[value(element, "styleLink")] = name
                links[name] = value(element, "numStyleLink")
            elif element.tag == "num":
                lists.append(element)
        self._lists: dict[str, _List] = {}
        for element in lists:
            kind = value(element, "abstractNumId")
            if link := links.get(kind):
                kind = styled.get(link, kind)
            self._lists[element.get("numId", "")] = _list(element, kind, kinds.get(kind, {}))
        self._counted: dict[str, Levels] = defaultdict(Levels)
        self._begun: set[tuple[str, int]] = set()

    def level_of(self, name: str, style: str) -> int | None:
        """The level of a list that the paragraphs of a style are of, if it says so."""
        found = self._lists.get(name)
        levels = found.levels.items() if found else ()
        return next((number for number, level in levels if level.style == style), None)

    def next(self, at: Place) -> str:
        """The number of the next paragraph at a place; none of a bullet."""
        number, found = at.level or 0, self._lists.get(at.list)
        level = found.levels.get(number) if found else None
        if found is None or level is None:
            return ""
        counted = self._counted[found.counted]
        if number in found.restarts and (at.list, number) not in self._begun:
            self._begun.add((at.list, number))
            counted.restart(number)
        counted.count(number, _start(found, number))
        for deeper in range(number + 1, DEEPEST + 1):
            if deeper not in found.levels or number < found.levels[deeper].restarts_after:
                counted.restart(deeper, deeper)
        return _written(found, level, counted)


def _levels(elements: Iterable[Element]) -> dict[int, _Level]:
    found = {}
    for element in elements:
        number = whole(element.get("ilvl"))
        if number <= DEEPEST:
            found[number] = _level(element, number)
    return found


def _level(element: Element, number: int) -> _Level:
    text, kind, legal = value(element, "lvlText"), value(element, "numFmt"), element.find("isLgl")
    return _Level(
        start=whole(value(element, "start")),
        figures=_FIGURES.get(kind, "1"),
        text=text if kind != "bullet" and len(text) <= LONGEST else "",
        plain=legal is not None and legal.get("val") not in ("0", "false", "off"),
        restarts_after=whole(value(element, "lvlRestart"), number),
        style=value(element, "pStyle"),
    )


def _list(element: Element, kind: str, levels: Mapping[int, _Level]) -> _List:
    """A list of a kind, with what is different in it."""
    own: dict[int, _Level] = {}
    restarts: dict[int, int] = {}
    for override in element.findall("lvlOverride"):
        number = whole(override.get("ilvl"))
        if number > DEEPEST:
            continue
        if (level := override.find("lvl")) is not None:
            own[number] = _level(level, number)
        if start := value(override, "startOverride"):
            restarts[number] = whole(start)
    return _List(kind, {**levels, **own} if own else levels, restarts)


def _start(of: _List, level: int) -> int:
    if level in of.restarts:
        return of.restarts[level]
    return of.levels[level].start if level in of.levels else 0


def _written(of: _List, level: _Level, counted: Levels) -> str:
    def number(place: re.Match[str]) -> str:
        at = int(place[1]) - 1
        kind = of.levels[at].figures if at in of.levels else ""
        if not kind:
            return ""
        return figures(counted.at(at, _start(of, at)), "1" if level.plain else kind, doubled=True)

    return " ".join(_PLACE.sub(number, level.text).split())[:LONGEST]


def value(element: Element, name: str) -> str:
    """What Word says by an element inside of another."""
    found = element.find(name)
    return found.get("val", "") if found is not None else ""
