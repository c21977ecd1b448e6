"""Word documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from xml.etree.ElementTree import Element

from rag.ingest.formats.block import Block, Reading
from rag.ingest.formats.docx_numbers import Numbering
from rag.ingest.formats.docx_styles import Styles
from rag.ingest.formats.drawing import drawn
from rag.ingest.formats.formula import in_line
from rag.ingest.formats.grid import grid
from rag.ingest.formats.lines import attributed, joined, tidy
from rag.ingest.formats.package import Package, whole

MOST_COLUMNS = 63  # in Word itself

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
        listed = parts.get("numbering")
        self._numbering = Numbering(package.tree(listed) if listed else ())
        named = parts.get("styles")
        self._styles = Styles(package.tree(named) if named else None, self._numbering)
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
        says = element.find("pPr")
        manner = self._styles.manner(says)
        if manner.kind == "contents":
            return
        words, level, number = _Words(element), manner.level, ""
        if manner.kind in ("item", "heading"):
            at = self._styles.place(says)
            level = at.level or 0 if manner.kind == "item" else level
            number = self._numbering.next(at) if _has_end(says) else ""
        text = words.lines if manner.kind == "code" else words.text
        yield Block(manner.kind, text, level, number=number)
        for hanging in words.hanging:
            yield from self._hanging(hanging)

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
        return look is not None and _vanishes(look)
    # A field of a form that nobody filled in: it shows what to do with it.
    return element.tag == "sdt" and element.find("sdtPr/showingPlcHdr") is not None


def _vanishes(look: Element) -> bool:
    hidden = look.find("vanish")
    return hidden is not None and hidden.get("val") not in _OFF


def _has_end(says: Element | None) -> bool:
    """Whether a paragraph is one by itself: without its end, it goes on with the next, and its
    number is not shown."""
    end = says.find("rPr") if says is not None else None
    return end is None or (end.find("del") is None and not _vanishes(end))


def _note(note: Element) -> str:
    return attributed(" ".join(_Words(note).text.split()), note.get("author", ""))
