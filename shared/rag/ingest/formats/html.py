"""Web pages: what a person reads on them, without what is around it."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

from rag.ingest.formats import flow, markup
from rag.ingest.formats.block import Block, Reading
from rag.ingest.formats.charset import decoded
from rag.ingest.formats.dates import iso
from rag.ingest.formats.furniture import Furniture, content

# Which names of `meta` tell a property; the first that is there counts.
_PROPERTIES = {
    "author": ("author", "dc.creator", "dcterms.creator", "article:author"),
    "created": ("article:published_time", "date", "dc.date", "dcterms.created", "pubdate"),
    "modified": ("article:modified_time", "dcterms.modified", "og:updated_time", "last-modified"),
    "subject": ("subject", "dc.subject", "dcterms.subject", "article:section"),
    "keywords": ("keywords",),
    "description": ("description", "og:description", "dc.description", "dcterms.description"),
    "language": ("dc.language", "dcterms.language", "content-language"),
}
_DATES = ("created", "modified")

# Text of these is never seen, and may be many times the rest: all shares would be wrong.
_UNSEEN = ["script", "style", "noscript", "template"]


def read(data: bytes, charset: str) -> Reading:
    """The content of a web page."""
    page = markup.tree(decoded(data, charset, markup=True))
    page.strip_tags(_UNSEEN, recursive=True)
    told = _told(page)
    return Reading(_blocks(page), _title(page, told), _properties(page, told))


def _blocks(page: LexborHTMLParser) -> list[Block]:
    body, root = page.body, content(page)
    if body is None or root is None:
        return []
    # A page of nothing but menus is about these.
    return flow.blocks(root, Furniture(body, root)) or flow.blocks(body)


def _told(page: LexborHTMLParser) -> dict[str, str]:
    """What the page says about itself."""
    told: dict[str, str] = {}
    for meta in page.css("meta[content]"):
        attributes = meta.attributes
        name = attributes.get("name") or attributes.get("property") or attributes.get("http-equiv")
        value = (attributes.get("content") or "").strip()
        if name and value:
            told.setdefault(name.lower(), value)
    return told


def _title(page: LexborHTMLParser, told: dict[str, str]) -> str:
    return _text(page, "head > title") or told.get("og:title", "") or _text(page, "h1")


def _properties(page: LexborHTMLParser, told: dict[str, str]) -> dict[str, str]:
    found = {
        name: next((told[meta] for meta in metas if meta in told), "")
        for name, metas in _PROPERTIES.items()
    }
    for name in _DATES:
        found[name] = iso(found[name])
    if found["author"].startswith(("http:", "https:")):
        found["author"] = ""
    found["language"] = _language(page) or found["language"]
    return found


def _language(page: LexborHTMLParser) -> str:
    root: LexborNode | None = page.root
    attributes = root.attributes if root is not None else {}
    return attributes.get("lang") or attributes.get("xml:lang") or ""


def _text(page: LexborHTMLParser, where: str) -> str:
    found = page.css_first(where)
    return " ".join(found.text().split()) if found is not None else ""
