"""What the paragraphs of Word documents are, by themselves or by their styles."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple
from xml.etree.ElementTree import Element

from rag.ingest.formats.block import Kind
from rag.ingest.formats.docx_numbers import Numbering, Place, place, value
from rag.ingest.formats.package import whole

MOST_ANCESTORS = 20  # of a style
NO_OUTLINE = 9  # the level of text that is no heading, whatever its style

_HEADING = re.compile(r"heading ([1-9])")
_CONTENTS = re.compile(r"toc (\d|heading)|table of figures")


class Manner(NamedTuple):
    """What a paragraph is."""

    kind: Kind | Literal["contents"] = "paragraph"
    level: int = 0  # of a heading


_NAMED = {
    "title": Manner("heading", 1),
    "quote": Manner("quote"),
    "intense quote": Manner("quote"),
    "block text": Manner("quote"),
    "code": Manner("code"),
    "source code": Manner("code"),
    "html preformatted": Manner("code"),
    "macro text": Manner("code"),
}


class _Style(NamedTuple):
    manner: Manner | None = None
    place: Place = Place()
    based: str = ""


class Styles:
    """What styles make of paragraphs: each says so itself, or is as the one it is based on."""

    def __init__(self, root: Element | None, numbering: Numbering) -> None:
        self._numbering = numbering
        own = {
            style.get("styleId", ""): _Style(
                _own_manner(style), place(style.find("pPr")), value(style, "basedOn")
            )
            for style in (root.iter("style") if root is not None else ())
        }
        self._styles = {name: self._inherited(name, own) for name in own}

    def manner(self, says: Element | None) -> Manner:
        """What a paragraph is, of what it says of itself."""
        if says is None:
            return Manner()
        manner = _outlined(says) or self._style(says).manner or Manner()
        return manner if manner.kind == "heading" else _listed(says) or manner

    def place(self, says: Element | None) -> Place:
        """Where it is in a list."""
        return place(says).over(self._style(says).place) if says is not None else Place()

    def _style(self, says: Element) -> _Style:
        return self._styles.get(value(says, "pStyle"), _Style())

    def _inherited(self, name: str, own: dict[str, _Style]) -> _Style:
        line: list[tuple[str, _Style]] = []
        while name in own and len(line) < MOST_ANCESTORS:
            line.append((name, own[name]))
            name = own[name].based
        listed = next((style.place.list for _, style in line if style.place.list), "")
        levels = (self._level(listed, name, style) for name, style in line)
        return _Style(
            next((style.manner for _, style in line if style.manner), None),
            Place(listed, next((level for level in levels if level is not None), None)),
        )

    def _level(self, listed: str, name: str, style: _Style) -> int | None:
        """Where a list says which of its levels a style has, it is that one."""
        level = self._numbering.level_of(listed, name)
        return style.place.level if level is None else level


def _own_manner(style: Element) -> Manner | None:
    name, says = value(style, "name").lower(), style.find("pPr")
    if _CONTENTS.fullmatch(name):
        return Manner("contents")
    if says is not None and (outlined := _outlined(says)):
        return outlined
    if heading := _HEADING.fullmatch(name):
        return Manner("heading", int(heading[1]))
    if name in _NAMED:
        return _NAMED[name]
    return _listed(says) if says is not None else None


def _outlined(says: Element) -> Manner | None:
    """The heading that a paragraph is, or a style makes of it."""
    outline = says.find("outlineLvl")
    if outline is None:
        return None
    level = whole(outline.get("val"), NO_OUTLINE)
    return Manner("heading", level + 1) if level < NO_OUTLINE else Manner()


def _listed(says: Element) -> Manner | None:
    """The item that a paragraph is, or a style makes of it."""
    at = place(says)
    if not at.list:
        return None
    # It may be taken off a list that its style puts it on.
    return Manner("item") if at.is_listed else Manner()
