"""Word documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple
from xml.etree.ElementTree import Element

from rag.ingest.formats.block import Block, Kind, Reading
from rag.ingest.formats.drawing import drawn
from rag.ingest.formats.formula import in_line
from rag.ingest.formats.grid import grid
from rag.ingest.formats.lines import joined, tidy
from rag.ingest.formats.package import Package, whole

MOST_COLUMNS = 63  # in Word itself
MOST_ANCESTORS = 20  # of a style
NO_OUTLINE = 9  # the level of text that is no heading, whatever its style

_HEADING = re.compile(r"heading ([1-9])")
_CONTENTS = re.compile(r"toc (\d|heading)|table of figures")
# Elements around others, that are read as if they were not there.
_AROUND = frozenset("sdt sdtContent customXml smartTag ins moveTo Choice".split())
# What was deleted or moved away, how fields are computed, and how things look.
_NOT_SHOWN = frozenset("del moveFrom delText instrText delInstrText rPr pPr sdtPr rt".split())
_WRITTEN = {
    "tab": "\t",
    "ptab": "\t",
    "br": "\n",
    "cr": "\n",
    "p": "\n",
    "noBreakHyphen": "-",
}
_HANGING = frozenset(
    "txbxContent docPr chart relIds footnoteReference endnoteReference commentReference".split()
)
_OFF = ("0", "false", "off")


class _Manner(NamedTuple):
    """What a paragraph is, by its style."""

    kind: Kind | Literal["contents"] = "paragraph"
    level: int = 0


_NAMED = {
    "title": _Manner("heading", 1),
    "quote": _Manner("quote"),
    "intense quote": _Manner("quote"),
    "block text": _Manner("quote"),
    "code": _Manner("code"),
    "source code": _Manner("code"),
    "html preformatted": _Manner("code"),
    "macro text": _Manner("code"),
}


def read(data: bytes, charset: str) -> Reading:  # noqa: ARG001 - all parts say their own
    package = Package(data)
    properties = package.properties()
    blocks = [block for block in joined(_Document(package).blocks()) if block.text]
    return Reading(blocks, properties.pop("title", ""), properties)


class _Document:
    def __init__(self, package: Package) -> None:
        self._package = package
        self._main = package.main("word/document.xml")
        self._relations = package.relations(self._main)
        parts = {relation.kind: relation.part for relation in self._relations.values()}
        self._manners = _manners(package, parts.get("styles"))
        self._notes: dict[tuple[str, str], Element] = {}
        for kind in ("footnote", "endnote", "comment"):
            if part := parts.get(f"{kind}s"):
                for note in package.tree(part):
                    self._notes[f"{kind}Reference", note.get("id", "")] = note

    def blocks(self) -> Iterator[Block]:
        yield from self._body(self._package.elements(self._main, 3))

    def _body(self, elements: Iterable[Element]) -> Iterator[Block]:
        for element in _bared(elements):
            if element.tag == "p":
                yield from self._paragraph(element)
            elif element.tag == "tbl":
                yield from grid(
                    list(self._cells(row))
                    for row in _bared(element)
                    if row.tag == "tr" and row.find("trPr/del") is None
                )

    def _cells(self, row: Element) -> Iterator[Sequence[Block]]:
        for cell in _bared(row):
            if cell.tag == "tc":
                yield list(self._body(cell))
                span = cell.find("tcPr/gridSpan")
                if span is not None:
                    yield from [()] * min(whole(span.get("val")) - 1, MOST_COLUMNS)

    def _paragraph(self, element: Element) -> Iterator[Block]:
        manner = self._manner(element.find("pPr"))
        if manner.kind == "contents":
            return
        words = _Words(element)
        yield Block(manner.kind, words.lines if manner.kind == "code" else words.text, manner.level)
        for hanging in words.hanging:
            yield from self._hanging(hanging)

    def _manner(self, says: Element | None) -> _Manner:
        if says is None:
            return _Manner()
        style = says.find("pStyle")
        manner = self._manners.get(style.get("val", "") if style is not None else "", _Manner())
        manner = _outlined(says) or manner
        return manner if manner.kind == "heading" else _listed(says) or manner

    def _hanging(self, element: Element) -> Iterator[Block]:
        """What is not in the line of a paragraph, and is read after it."""
        match element.tag:
            case "txbxContent":
                yield from self._body(element)
            case "docPr":
                yield Block("paragraph", " ".join(element.get("descr", "").split()))
            case "chart" | "relIds":
                yield from drawn(element, self._package, self._relations)
            case _:
                # Once only, so that no document is longer than all that is in it.
                note = self._notes.pop((element.tag, element.get("id", "")), None)
                if note is not None:
                    yield Block("quote", _note(note))


class _Words:
    """The text in an element, and the elements that hang on it."""

    def __init__(self, element: Element) -> None:
        self.hanging: list[Element] = []
        self._pieces: list[str] = []
        left = list(reversed(element))
        while left:
            element = left.pop()
            tag = element.tag
            if tag == "t":
                self._pieces.append(element.text or "")
            elif tag == "oMath":
                self._pieces.append(in_line(element))
            elif tag in _HANGING:
                self.hanging.append(element)
            elif tag == "AlternateContent":
                left.extend(element[:1])
            elif tag not in _NOT_SHOWN and not _hidden(element):
                self._pieces.append(_WRITTEN.get(tag, ""))
                left.extend(reversed(element))

    @property
    def lines(self) -> str:
        """As they were written."""
        return "".join(self._pieces).rstrip()

    @property
    def text(self) -> str:
        return tidy("".join(self._pieces))


def _bared(elements: Iterable[Element]) -> Iterator[Element]:
    for element in elements:
        if element.tag == "AlternateContent":
            yield from _bared(element[:1])
        elif element.tag in _AROUND:
            if not _hidden(element):
                yield from _bared(element)
        else:
            yield element


def _hidden(element: Element) -> bool:
    if element.tag == "r":
        look = element.find("rPr")
        hidden = look.find("vanish") if look is not None else None
        return hidden is not None and hidden.get("val") not in _OFF
    # A field of a form that nobody filled in: it shows what to do with it.
    return element.tag == "sdt" and element.find("sdtPr/showingPlcHdr") is not None


def _outlined(says: Element) -> _Manner | None:
    """The heading that a paragraph is, or a style makes of it."""
    outline = says.find("outlineLvl")
    if outline is None:
        return None
    level = whole(outline.get("val"), NO_OUTLINE)
    return _Manner("heading", level + 1) if level < NO_OUTLINE else _Manner()


def _listed(says: Element) -> _Manner | None:
    """The item that a paragraph is, or a style makes of it."""
    number = says.find("numPr/numId")
    if number is None:
        return None
    if number.get("val") == "0":  # taken off a list that its style puts it on
        return _Manner()
    level = says.find("numPr/ilvl")
    return _Manner("item", min(whole(level.get("val")) if level is not None else 0, 8))


def _note(note: Element) -> str:
    text = " ".join(_Words(note).text.split())
    author = note.get("author", "")
    return f"Comment by {author}: {text}" if text and author else text


def _manners(package: Package, part: str | None) -> dict[str, _Manner]:
    """What the styles make of their paragraphs: each says so itself, or is as the one it is based
    on."""
    if part is None:
        return {}
    own: dict[str, _Manner | None] = {}
    based: dict[str, str] = {}
    for style in package.tree(part).iter("style"):
        name = style.get("styleId", "")
        own[name] = _own_manner(style)
        parent = style.find("basedOn")
        based[name] = parent.get("val", "") if parent is not None else ""

    def manner(name: str) -> _Manner:
        for _ in range(MOST_ANCESTORS):
            if found := own.get(name):
                return found
            name = based.get(name, "")
        return _Manner()

    return {name: manner(name) for name in own}


def _own_manner(style: Element) -> _Manner | None:
    called, says = style.find("name"), style.find("pPr")
    name = (called.get("val", "") if called is not None else "").lower()
    if _CONTENTS.fullmatch(name):
        return _Manner("contents")
    if says is not None and (outlined := _outlined(says)):
        return outlined
    if heading := _HEADING.fullmatch(name):
        return _Manner("heading", int(heading[1]))
    if name in _NAMED:
        return _NAMED[name]
    return _listed(says) if says is not None else None
