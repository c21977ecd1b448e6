"""Text documents of OpenDocument, as LibreOffice writes them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element

from rag.errors import Unreadable
from rag.ingest.formats.block import Block, Kind, Reading
from rag.ingest.formats.formula import in_line
from rag.ingest.formats.grid import grid
from rag.ingest.formats.lines import attributed, joined, tidy
from rag.ingest.formats.odt_numbers import List, Numbering
from rag.ingest.formats.package import Package, whole

MOST_REPEATED = 100  # spaces, or columns, that are said to follow each other
MOST_ANCESTORS = 20  # of a style

_SHAPES = frozenset(
    "frame g custom-shape rect ellipse circle line polyline polygon path regular-polygon connector"
    " caption".split()
)
# Elements around others, that are read as if they were not there.
_AROUND = _SHAPES | frozenset(
    "a section text-box bibliography alphabetical-index index-body numbered-paragraph".split()
)
_HANGING = _SHAPES | {"note", "annotation"}
_NOT_SHOWN = frozenset("tracked-changes forms ruby-text hidden-text".split())
_ROW_GROUPS = frozenset("table-header-rows table-rows table-row-group".split())
_CELLS = ("table-cell", "covered-table-cell")

_PROPERTIES = {
    "title": "title",
    "initial-creator": "author",
    "creation-date": "created",
    "date": "modified",
    "subject": "subject",
    "keyword": "keywords",
    "description": "description",
    "language": "language",
}

_WHITE = re.compile(r"[ \t\r\n]+")


class _Manner(NamedTuple):
    """What a paragraph or a piece of it is, by its style."""

    kind: Kind = "paragraph"
    hidden: bool = False


_NAMED = {
    "title": _Manner("heading"),
    "quotations": _Manner("quote"),
    "preformatted text": _Manner("code"),
    "source code": _Manner("code"),
}


def read(data: bytes, charset: str) -> Reading:  # noqa: ARG001 - all parts say their own
    package = Package(data)
    if _locked(package):
        raise Unreadable("needs a password to open")
    root = package.tree("content.xml")
    named = [package.tree("styles.xml")] if "styles.xml" in package else []
    roots = [*named, root]
    document = _Document(package, _Styles(roots), Numbering(roots))
    blocks = joined(document.blocks(root.findall("body/text/*")))
    properties = _properties(package)
    return Reading(
        [block for block in blocks if block.text], properties.pop("title", ""), properties
    )


class _Styles:
    """What the styles make of their text: each says so itself, or is as its parent."""

    def __init__(self, roots: Iterable[Element]) -> None:
        styles = [style for root in roots for style in root.findall("*/style")]
        self._parents = {_name(style): style.get("parent-style-name", "") for style in styles}
        self._manners = {_name(style): _own_manner(style) for style in styles}
        self._unlisting = {_name(style) for style in styles if style.get("list-style-name") == ""}

    def manner(self, element: Element) -> _Manner:
        name = asked = element.get("style-name", "")
        for _ in range(MOST_ANCESTORS):
            if found := self._manners.get(name) or _NAMED.get(_spelled(name)):
                break
            name = self._parents.get(name, "")
        else:
            found = _Manner()
        self._manners[asked] = found
        return found

    def unlists(self, element: Element) -> bool:
        """Whether an element is taken off the list that it would be in."""
        return element.get("style-name", "") in self._unlisting


class _Document:
    def __init__(self, package: Package, styles: _Styles, numbering: Numbering) -> None:
        self._package = package
        self._styles = styles
        self._numbering = numbering

    def blocks(self, elements: Iterable[Element], listed: List | None = None) -> Iterator[Block]:
        """What is in these elements, which may be in a list."""
        for element in elements:
            match element.tag:
                case "h":
                    level = whole(element.get("outline-level"), 1)
                    number = listed.number() if listed else self._outlined(element, level)
                    yield from self._paragraph(element, "heading", level, number)
                case "p" if listed:
                    yield from self._paragraph(element, "item", listed.depth, listed.number())
                case "p":
                    kind = self._styles.manner(element).kind
                    yield from self._paragraph(element, kind, int(kind == "heading"))
                case "list":
                    inner = self._numbering.open(element, listed)
                    for entry in element:
                        inner.begin(entry)
                        yield from self.blocks(entry, inner)
                case "table":
                    yield from grid(list(self._cells(row)) for row in _rows(element))
                case "title" | "desc":  # what a picture shows
                    yield Block("paragraph", tidy("".join(element.itertext())))
                case tag if tag in _AROUND and element.get("display") != "none":
                    yield from self.blocks(element, listed)

    def _outlined(self, heading: Element, level: int) -> str:
        return "" if self._styles.unlists(heading) else self._numbering.heading(heading, level)

    def _paragraph(
        self, element: Element, kind: Kind, level: int, number: str = ""
    ) -> Iterator[Block]:
        text, hanging = self._words(element)
        yield Block(kind, text.rstrip() if kind == "code" else tidy(text), level, number=number)
        for one in hanging:
            yield from self._hanging(one)

    def _hanging(self, element: Element) -> Iterator[Block]:
        """What is not in the line of a paragraph, and is read after it."""
        if element.tag in _SHAPES:
            yield from self.blocks([element])
            return
        inside = element.findall("note-body/*") or element
        text = " ".join(" ".join(block.numbered for block in self.blocks(inside)).split())
        yield Block("quote", attributed(text, element.findtext("creator", "")))

    def _words(self, paragraph: Element) -> tuple[str, list[Element]]:
        """The text in a paragraph, and what hangs on it."""
        pieces: list[str] = []
        hanging: list[Element] = []
        left: list[Element | str | None] = [paragraph]
        while left:
            one = left.pop()
            if not isinstance(one, Element):
                pieces.append(_WHITE.sub(" ", one or ""))
                continue
            if one is not paragraph:
                left.append(one.tail)
            if formula := self._formula(one):
                pieces.append(formula)
            elif one.tag in _HANGING:
                hanging.append(one)
            elif one.tag not in _NOT_SHOWN and not self._styles.manner(one).hidden:
                pieces.append(_written(one))
                for child in reversed(one):
                    left.append(child)
                left.append(one.text)
        return "".join(pieces), hanging

    def _formula(self, frame: Element) -> str:
        """The formula in a frame, if there is one: it is a document of its own."""
        embedded = frame.find("object") if frame.tag == "frame" else None
        if embedded is None:
            return ""
        part = posixpath.normpath(f"{embedded.get('href', '')}/content.xml")
        root = self._package.tree(part) if part in self._package else embedded
        return in_line(root) if root.tag == "math" else ""

    def _cells(self, row: Element) -> Iterator[Sequence[Block]]:
        for cell in row:
            if cell.tag in _CELLS:
                yield list(self.blocks(cell))
                repeated = whole(cell.get("number-columns-repeated"), 1)
                yield from [()] * min(repeated - 1, MOST_REPEATED)


def _rows(table: Element) -> Iterator[Element]:
    for element in table:
        if element.tag in _ROW_GROUPS:
            yield from _rows(element)
        elif element.tag == "table-row":
            yield element


def _written(element: Element) -> str:
    match element.tag:
        case "s":
            return " " * min(whole(element.get("c"), 1), MOST_REPEATED)
        case "tab":
            return "\t"
        case "line-break":
            return "\n"
    return ""


def _locked(package: Package) -> bool:
    manifest = "META-INF/manifest.xml"
    if manifest not in package:
        return False
    return next(package.tree(manifest).iter("encryption-data"), None) is not None


def _name(style: Element) -> str:
    return style.get("name", "")


def _own_manner(style: Element) -> _Manner | None:
    text = style.find("text-properties")
    if text is not None and text.get("display") == "none":
        return _Manner(hidden=True)
    return _NAMED.get(_spelled(style.get("display-name", "")))


def _spelled(name: str) -> str:
    return name.replace("_20_", " ").lower()


def _properties(package: Package) -> dict[str, str]:
    if "meta.xml" not in package:
        return {}
    found: dict[str, list[str]] = {}
    for element in package.tree("meta.xml").findall("meta/*"):
        if element.tag in _PROPERTIES and element.text:
            found.setdefault(_PROPERTIES[element.tag], []).append(element.text.strip())
    return {name: ", ".join(values) for name, values in found.items()}
