"""Presentations of PowerPoint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from xml.etree.ElementTree import Element

from rag.ingest.formats.block import Block, Reading
from rag.ingest.formats.counting import DEEPEST, Levels, figures
from rag.ingest.formats.drawing import drawn
from rag.ingest.formats.grid import grid
from rag.ingest.formats.lines import attributed, tidy
from rag.ingest.formats.package import Package, whole

# What PowerPoint calls every presentation that nobody gave a title.
UNTITLED = "PowerPoint"

_SHAPES = ("sp", "pic", "graphicFrame")
_TITLES = ("title", "ctrTitle")
_REPEATED = ("dt", "ftr", "hdr", "sldNum", "sldImg")  # on every slide, or of the notes' page
_LISTS = ("", "body", "obj")
_BULLETS = ("buChar", "buAutoNum", "buBlip")
# How numbers are called: by their figures, and by what is around them.
_FIGURES = {"alphaLc": "a", "alphaUc": "A", "romanLc": "i", "romanUc": "I"}
_AROUND = {"Period": "{}.", "ParenR": "{})", "ParenBoth": "({})"}


def read(data: bytes, charset: str) -> Reading:  # noqa: ARG001 - all parts say their own
    package = Package(data)
    properties = package.properties()
    slides = list(_slides(package))
    title = properties.pop("title", UNTITLED)
    if title.startswith(UNTITLED):
        title = next((slide.title for slide in slides if slide.title), "")
    return Reading([block for slide in slides for block in slide.blocks()], title, properties)


def _slides(package: Package) -> Iterator[_Slide]:
    main = package.main("ppt/presentation.xml")
    relations = package.relations(main)
    authors = {
        author.get("id", ""): author.get("name", "")
        for relation in relations.values()
        if relation.kind in ("commentAuthors", "authors")
        for author in package.tree(relation.part)
    }
    for number, listed in enumerate(package.tree(main).findall("sldIdLst/sldId"), 1):
        if relation := relations.get(listed.get("r:id", "")):
            yield _Slide(package, relation.part, number, authors)


class _Slide:
    def __init__(self, package: Package, part: str, number: int, authors: dict[str, str]) -> None:
        self.title = ""
        self._number = number
        self._package = package
        self._relations = package.relations(part)
        self._authors = authors
        self._blocks = [
            *self._shown(package.tree(part)),
            *(block for relation in self._relations.values() for block in self._added(*relation)),
        ]

    def blocks(self) -> Iterator[Block]:
        """All of the slide, under its title or its number: what is on it is never read as if it
        belonged to the slide before."""
        filled = [replace(block, page=self._number) for block in self._blocks if block.text]
        if self.title or filled:
            # Not of the first level: a number is no title of the file.
            yield Block("heading", self.title or f"Slide {self._number}", 2, self._number)
            yield from filled

    def _shown(self, root: Element) -> Iterator[Block]:
        for shape in _shapes(root.findall("cSld/spTree")):
            if shape.tag == "pic":
                yield Block("paragraph", tidy(_named(shape).get("descr", "")))
            elif shape.tag == "graphicFrame":
                yield from self._graphic(shape)
            else:
                yield from self._text(shape)

    def _text(self, shape: Element) -> Iterator[Block]:
        kind = _placeholder(shape)
        if kind in _REPEATED:
            return
        paragraphs = _paragraphs(shape.find("txBody"))
        if kind in _TITLES and not self.title:
            self.title = " ".join(" ".join(text for _, text in paragraphs).split())
            return
        listed = kind in _LISTS and len(paragraphs) > 1
        numbers = _Numbers()
        for says, text in paragraphs:
            level = min(whole(says.get("lvl")), DEEPEST) if says is not None else 0
            number = numbers.next(says, level)
            if _bulleted(says, listed):
                yield Block("item", text, level, number=number)
            else:
                yield Block("paragraph", text)

    def _graphic(self, frame: Element) -> Iterator[Block]:
        for element in frame.findall("graphic/graphicData/*"):
            if element.tag == "tbl":
                yield from grid(
                    [[Block("paragraph", _words(cell))] for cell in row.findall("tc")]
                    for row in element.findall("tr")
                )
            else:
                yield from drawn(element, self._package, self._relations)

    def _added(self, kind: str, part: str) -> Iterator[Block]:
        """What was said of the slide: the speaker's notes, and comments."""
        if kind == "notesSlide":
            for shape in _shapes(self._package.tree(part).findall("cSld/spTree")):
                if _placeholder(shape) == "body":
                    yield Block("quote", _words(shape))
        elif kind == "comments":
            for comment in self._package.tree(part).iter():
                if comment.tag in ("cm", "reply"):
                    yield Block("quote", self._comment(comment))

    def _comment(self, comment: Element) -> str:
        text = comment.findtext("text") or _words(comment)
        return attributed(text, self._authors.get(comment.get("authorId", ""), ""))


class _Numbers:
    """The numbers of the paragraphs of one shape."""

    def __init__(self) -> None:
        self._counted = Levels()
        self._kinds: dict[int, tuple[str, str]] = {}  # how each level is counted

    def next(self, says: Element | None, level: int) -> str:
        """The number of the next paragraph, if it has one: others of its level end its list."""
        by_itself = says.find("buAutoNum") if says is not None else None
        self._counted.restart(level + 1)
        if by_itself is None:
            self._counted.restart(level)
            return ""
        kind, start = by_itself.get("type", ""), by_itself.get("startAt", "1")
        if self._kinds.get(level) != (kind, start):
            self._kinds[level] = kind, start
            self._counted.restart(level)
        number = self._counted.count(level, whole(start, 1))
        called = next((sign for name, sign in _FIGURES.items() if kind.startswith(name)), "1")
        around = next((form for name, form in _AROUND.items() if kind.endswith(name)), "{}")
        return around.format(figures(number, called, doubled=True))


def _shapes(elements: Iterable[Element]) -> Iterator[Element]:
    """The shapes of a slide, those of groups too."""
    for element in elements:
        if element.tag == "AlternateContent":
            yield from _shapes(element[:1])
        elif element.tag in ("spTree", "grpSp", "Choice"):
            yield from _shapes(element)
        elif element.tag in _SHAPES and _named(element).get("hidden") not in ("1", "true"):
            yield element


def _named(shape: Element) -> Element:
    """Where a shape says what it is called."""
    return next(shape.iter("cNvPr"), shape)


def _placeholder(shape: Element) -> str | None:
    """What of the slide's layout a shape fills, if anything."""
    placeholder = next(shape.iter("ph"), None)
    return placeholder.get("type", "") if placeholder is not None else None


def _paragraphs(body: Element | None) -> list[tuple[Element | None, str]]:
    """Those that have text, with what they say of themselves."""
    if body is None:
        return []
    found = ((one.find("pPr"), _text(one)) for one in body.findall("p"))
    return [(says, text) for says, text in found if text]


def _bulleted(says: Element | None, listed: bool) -> bool:
    if says is not None:
        if says.find("buNone") is not None:
            return False
        if any(says.find(name) is not None for name in _BULLETS):
            return True
    return listed


def _words(element: Element) -> str:
    """All paragraphs of an element, a line for each."""
    return "\n".join(text for _, text in _paragraphs(element.find("txBody")))


def _text(paragraph: Element) -> str:
    pieces = (
        "\n" if one.tag == "br" else one.text or ""
        for one in paragraph.iter()
        if one.tag in ("t", "br")
    )
    return tidy("".join(pieces).replace("\v", "\n"))
