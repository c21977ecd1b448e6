"""Files that are zips of XML parts, as those of Word or e-books: opened within limits, and never
followed out of themselves."""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple
from urllib.parse import unquote
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from rag.errors import Unreadable

MOST_PARTS = 20_000
MOST_BYTES = 256_000_000  # unpacked, of all that is read
MOST_READS = 50_000  # a small part may be referred to millions of times
LONGEST_MARKUP = 10_000_000  # of one element with its attributes, of one comment
DEEPEST = 256  # shallow enough for readers that recurse

_ENCRYPTED = 0x41  # flags of a part: encrypted at all, and strongly
# Others may ask for any amount of memory to unpack, and no program writes such files with them.
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BAD_ZIP = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    ValueError,
    OSError,
    EOFError,
    NotImplementedError,
)

# Namespaces whose names stand beside the same ones of a document's own.
_APART = {
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships": "r:",
    "http://purl.oclc.org/ooxml/officeDocument/relationships": "r:",
    "http://search.yahoo.com/mrss/": "media:",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes:",
}

_PROPERTIES = {
    "title": "title",
    "creator": "author",
    "created": "created",
    "modified": "modified",
    "subject": "subject",
    "keywords": "keywords",
    "description": "description",
    "language": "language",
}


class Relation(NamedTuple):
    """A part that another one refers to."""

    kind: str  # the last word of its type: "styles", "image"
    part: str


class Package:
    """A zip of parts, by their names: with forward slashes, no matter in which case."""

    def __init__(
        self, data: bytes, *, most_parts: int = MOST_PARTS, most_bytes: int = MOST_BYTES
    ) -> None:
        # Counted before they are listed: a list of millions takes all memory there is.
        if data.count(b"PK\x01\x02") > most_parts:
            raise Unreadable(f"has more than {most_parts} parts inside")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _BAD_ZIP as error:
            raise Unreadable("is damaged: the list of what is inside cannot be read") from error
        self._parts = {_key(part.filename): part for part in self._zip.infolist()}
        self._most = self._left = most_bytes
        self._reads_left = MOST_READS

    def __contains__(self, name: str) -> bool:
        return _key(name) in self._parts

    def read(self, name: str) -> bytes:
        """A part as it is."""
        return b"".join(self._pieces(name))

    def tree(self, name: str) -> Element:
        """A part that is XML, whole; its names are as `tree` gives them."""
        return next(self.elements(name, 1))

    def elements(self, name: str, depth: int) -> Iterator[Element]:
        """The elements of an XML part that stand at a depth, its root at 1: one after another, so
        that a part of any length takes little memory."""
        return _elements(self._pieces(name), depth)

    def relations(self, name: str = "") -> dict[str, Relation]:
        """What a part refers to inside of the package, by their ids; without a name, what the
        package itself does."""
        folder, file = posixpath.split(name)
        listed = posixpath.join(folder, "_rels", f"{file}.rels")
        if listed not in self:
            return {}
        found = {}
        for one in self.tree(listed):
            target = posixpath.normpath(posixpath.join("/", folder, one.get("Target", "")))
            if one.get("TargetMode") != "External" and target in self:
                kind = one.get("Type", "").rpartition("/")[2]
                found[one.get("Id", "")] = Relation(kind, target.lstrip("/"))
        return found

    def main(self, usual: str) -> str:
        """The part that is the document, most often this one."""
        for relation in self.relations().values():
            if relation.kind == "officeDocument":
                return relation.part
        return usual

    def properties(self) -> dict[str, str]:
        """What an Office file says of itself, its title among it."""
        for relation in self.relations().values():
            if relation.kind == "core-properties":
                return {
                    _PROPERTIES[one.tag]: text
                    for one in self.tree(relation.part)
                    if one.tag in _PROPERTIES and (text := (one.text or "").strip())
                }
        return {}

    def _pieces(self, name: str) -> Iterator[bytes]:
        part = self._parts.get(_key(name))
        if part is None:
            raise Unreadable("is damaged: a part of it is missing")
        if part.flag_bits & _ENCRYPTED:
            raise Unreadable("needs a password to open")
        if part.compress_type not in _PACKINGS:
            raise Unreadable("is packed in a way that is not known here")
        self._reads_left -= 1
        if self._reads_left < 0:
            raise Unreadable("refers to the same parts again and again")
        try:
            with self._zip.open(part) as opened:
                while piece := opened.read(65_536):
                    # What a part says of its own size is not to be trusted.
                    self._left -= len(piece)
                    if self._left < 0:
                        raise Unreadable(f"unpacks to more than {self._most // 1_000_000} MB")
                    yield piece
        except _BAD_ZIP as error:
            raise Unreadable("is damaged: a part of it cannot be unpacked") from error


def tree(data: bytes) -> Element:
    """An XML document. Its names are without their namespaces, but for `r:` before those that
    refer to other parts and `media:` and `itunes:` in feeds. Raises Unreadable."""
    return next(_elements([data], 1))


def whole(text: str | None, otherwise: int = 0) -> int:
    """A number that an attribute says, or `otherwise` if it says none."""
    if text and len(text) < 10 and text.isdecimal():
        return int(text)
    return otherwise


def _key(name: str) -> str:
    return unquote(name).replace("\\", "/").lstrip("/").casefold()


def _elements(pieces: Iterable[bytes], depth: int) -> Iterator[Element]:
    grown: list[Element] = []
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    parser.buffer_size = 65_536
    parser.EntityDeclHandler = _refuse
    parser.AttlistDeclHandler = _refuse  # one may be given to each of millions of elements
    forget = _grow(parser, depth, grown)
    try:
        taken = 0
        for piece in pieces:
            parser.Parse(piece, False)
            yield from grown
            forget()
            # Looked through again from its beginning with each piece.
            taken += len(piece)
            if taken - parser.CurrentByteIndex > LONGEST_MARKUP:
                raise Unreadable("holds XML with markup that does not end")
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise Unreadable(f"is damaged: it holds XML that is broken ({error})") from error
    except (LookupError, ValueError) as error:  # of an encoding that is unknown, or too wide
        raise Unreadable("is damaged: it holds XML in an unknown encoding") from error
    yield from grown


def _refuse(*_: object) -> None:
    raise Unreadable("declares entities in XML, or attributes, which are not followed")


def _grow(parser: expat.XMLParserType, first: int, grown: list[Element]) -> Callable[[], None]:
    """Have a parser grow the elements of a depth, and give what forgets them: all hang on one
    trunk."""
    builder = TreeBuilder()
    trunk = builder.start("", {})
    start_element, end_element, names = builder.start, builder.end, _Names()
    depth = 0

    # Called for every element there is, so that all they need is close at hand.
    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise Unreadable("is nested too deeply")
        if depth >= first:
            if attributes:
                attributes = {names[key]: value for key, value in attributes.items()}
            start_element(names[name], attributes)
            if depth == first:
                parser.CharacterDataHandler = builder.data

    def end(name: str) -> None:
        nonlocal depth
        if depth >= first:
            element = end_element(names[name])
            if depth == first:
                parser.CharacterDataHandler = None
                grown.append(element)
        depth -= 1

    def forget() -> None:
        grown.clear()
        trunk.clear()

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    return forget


class _Names(dict[str, str]):
    """Names as expat gives them, and what readers know them by."""

    def __missing__(self, name: str) -> str:
        space, _, local = name.rpartition("}")
        self[name] = known = _APART.get(space, "") + local
        return known
