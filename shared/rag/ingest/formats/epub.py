"""Books as EPUB: their chapters in the order in which they are read."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from rag.errors import Unreadable
from rag.ingest.formats import markup
from rag.ingest.formats.block import Block, Reading
from rag.ingest.formats.charset import decoded
from rag.ingest.formats.dates import iso
from rag.ingest.formats.package import Package

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_CHAPTERS = ("application/xhtml+xml", "text/html", "text/x-oeb1-document")
_CONTENTS = "application/x-dtbncx+xml"  # of EPUB 2


class _Part(NamedTuple):
    name: str
    media_type: str
    is_contents: bool  # of EPUB 3


class _Book:
    """A book by what its package says of it."""

    def __init__(self, package: Package) -> None:
        self._package = package
        main = _main(package)
        root = package.tree(main)
        self._folder = posixpath.dirname(main)
        self._facts = _facts(root)
        self._parts = {item.get("id", ""): self._part(item) for item in root.iter("item")}
        self._order = [item.get("idref", "") for item in root.iter("itemref")]

    def _part(self, item: Element) -> _Part:
        return _Part(
            name=_joined(self._folder, item.get("href", "")),
            media_type=item.get("media-type", ""),
            is_contents="nav" in item.get("properties", "").split(),
        )

    def fact(self, name: str) -> str:
        return next(iter(self._facts.get(name, ())), "")

    def facts(self, name: str) -> str:
        return ", ".join(self._facts.get(name, ()))

    def chapters(self) -> Iterator[str]:
        for id_ in self._order:
            part = self._parts.get(id_)
            if part and part.media_type in _CHAPTERS and not part.is_contents:
                yield part.name

    def titles(self) -> dict[str, str]:
        """What the table of contents calls each chapter."""
        found: dict[str, str] = {}
        for part in self._parts.values():
            if part.name not in self._package:
                continue
            if part.is_contents or part.media_type == _CONTENTS:
                for target, title in self._entries(part.name):
                    found.setdefault(target, title)
        return found

    def _entries(self, name: str) -> Iterator[tuple[str, str]]:
        folder = posixpath.dirname(name)
        # A book can be read without its table of contents, and some of these are no sound XML.
        with suppress(Unreadable):
            for target, label in _entries(self._package.tree(name)):
                if title := " ".join("".join(label.itertext()).split()):
                    yield _joined(folder, target), title


def read(data: bytes, charset: str) -> Reading:  # noqa: ARG001 (each chapter says its own)
    """A book: who wrote it and what it is about, then all chapters."""
    package = Package(data)
    book = _Book(package)
    blocks = [
        Block("paragraph", f"{name}: {fact}")
        for name, fact in (
            ("Authors", book.facts("creator")),
            ("Description", _plain(book.fact("description"))),
        )
        if fact
    ]
    titles, locked = book.titles(), _locked(package)
    for name in book.chapters():
        if name in locked:
            raise Unreadable("is protected against copying, and cannot be read")
        if name in package:
            text = decoded(package.read(name), markup=True)
            blocks += _under(titles.get(name, ""), markup.body(text, xml=True))
    return Reading(blocks, book.fact("title"), _properties(book))


def _properties(book: _Book) -> dict[str, str]:
    return {
        "author": book.facts("creator"),
        "created": iso(book.fact("date")),
        "modified": iso(book.fact("dcterms:modified")),
        "subject": book.facts("subject"),
        "description": _plain(book.fact("description")),
        "language": book.fact("language"),
    }


def _under(title: str, chapter: list[Block]) -> list[Block]:
    """A chapter that has no heading is in the section that the table of contents names."""
    if not title or any(block.kind == "heading" for block in chapter):
        return chapter
    return [replace(block, section=(title,)) for block in chapter]


def _main(package: Package) -> str:
    if _CONTAINER in package:
        for root in package.tree(_CONTAINER).iter("rootfile"):
            name = root.get("full-path", "")
            if name in package:
                return name
    raise Unreadable("is damaged: it has no list of its chapters")


def _facts(root: Element) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for metadata in root.iter("metadata"):
        for fact in metadata.iter():
            if text := " ".join((fact.text or "").split()):
                found.setdefault(fact.get("property") or fact.tag, []).append(text)
    return found


def _entries(contents: Element) -> Iterator[tuple[str, Element]]:
    for point in contents.iter("navPoint"):
        label, content = point.find("navLabel"), point.find("content")
        if label is not None and content is not None:
            yield content.get("src", ""), label
    for link in contents.iter("a"):
        yield link.get("href", ""), link


def _locked(package: Package) -> set[str]:
    """Parts that only the shop's own programs can read. Fonts are often among them."""
    if _ENCRYPTION not in package:
        return set()
    return {
        posixpath.normpath(unquote(reference.get("URI", "")))
        for reference in package.tree(_ENCRYPTION).iter("CipherReference")
    }


def _joined(folder: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(target.partition("#")[0])))


def _plain(description: str) -> str:
    """Shops like to put markup here."""
    return " ".join(block.text for block in markup.body(description)) if description else ""
