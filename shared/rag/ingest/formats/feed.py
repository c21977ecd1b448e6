"""Feeds of news: RSS and Atom."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape, unescape
from xml.etree.ElementTree import Element

from rag.errors import Unreadable
from rag.ingest.formats import markup
from rag.ingest.formats.block import Block, Reading
from rag.ingest.formats.charset import decoded
from rag.ingest.formats.dates import iso
from rag.ingest.formats.package import tree

_ROOTS = ("rss", "feed", "RDF")
_ENTRIES = ("item", "entry")
# The first that is there is the most complete.
_BODIES = ("encoded", "content", "description", "summary")
_DATES = ("pubDate", "published", "date", "updated")
_DECLARATION = re.compile(r"\A\s*+<\?xml.*?\?>", re.DOTALL)
_LOWEST_HEADING = 6


def read(data: bytes, charset: str) -> Reading:
    """A feed, its entries in their order, each below its title."""
    # The parser of XML knows few charsets, and takes UTF-8 for what declares nothing.
    root = tree(_DECLARATION.sub("", decoded(data, charset, markup=True), count=1).encode())
    if root.tag not in _ROOTS:
        raise Unreadable("is XML, but not a feed")
    channel = root.find("channel")
    about = root if channel is None else channel
    title = _words(about, "title")
    description = markup.body(_words(about, "description", "subtitle"))
    blocks = [Block("heading", title, 1), *description]
    for entry in root.iter():
        if entry.tag in _ENTRIES:
            blocks += _entry(entry)
    properties = {
        "author": _author(about),
        "created": iso(_words(about, "pubDate", "published", "date")),
        "modified": iso(_words(about, "lastBuildDate", "updated")),
        "description": " ".join(block.text for block in description),
        "language": _words(about, "language") or root.get("lang", ""),
    }
    return Reading(blocks, title, properties)


def _entry(entry: Element) -> Iterator[Block]:
    # Without a title it must not seem to belong to the entry before.
    yield Block("heading", _words(entry, "title") or "Untitled", 2)
    for line in (_author(entry), _words(entry, *_DATES)):
        yield Block("paragraph", line)
    for block in markup.body(_body(entry)):
        if block.kind == "heading":
            yield Block("heading", block.text, min(block.level + 2, _LOWEST_HEADING))
        else:
            yield block


def _body(entry: Element) -> str:
    for name in _BODIES:
        body = entry.find(name)
        if body is None:
            continue
        text = "".join(_written(body)) if len(body) else _plain(body)
        if text.strip():
            return text
    return ""


def _plain(body: Element) -> str:
    text = body.text or ""
    return escape(text) if body.get("type") == "text" else text


def _written(body: Element) -> Iterator[str]:
    """The markup of what stands as elements in the feed itself."""
    yield escape(body.text or "")
    for child in body:
        yield f"<{child.tag}>"
        yield from _written(child)
        yield f"</{child.tag}>{escape(child.tail or '')}"


def _author(element: Element) -> str:
    author = element.find("author")
    if author is not None and len(author):
        return _words(author, "name")
    return _words(element, "creator", "author")


def _words(element: Element, *names: str) -> str:
    """The text of the first of these that has any, on one line."""
    for name in names:
        child = element.find(name)
        if child is not None and (words := "".join(child.itertext()).split()):
            # Escaped twice by many, as if it were markup.
            return unescape(" ".join(words))
    return ""
