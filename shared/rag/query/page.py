"""The page that a visitor reads: its own document is meant first, where that is as good."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import unquote

from rag.model import Document, Found

# A score that is this much lower may still be the one that is meant.
CLOSE = 0.05
LONGEST_TOLD = 512

# At the beginning only: looked for everywhere, a long address would take hours.
_ORIGIN = re.compile(r"\A(?:[a-z][a-z0-9+.-]*:)?//[^/?#]*", re.IGNORECASE)
# Browsers take any number of slashes for two.
_CREDENTIALS = re.compile(r"\A(https?:/*|//+)[^/]*@", re.IGNORECASE)
_OF_NO_PAGE = re.compile(r"(?!https?:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_AFTER_PATH = re.compile(r"[?#]")
_FILE = re.compile(r"(?:(?:^|/)index)?(?:\.(?:html?|mdx?))?$", re.IGNORECASE)


def near(found: Found, page: str | None, most: int) -> Found:
    """The best of what was found: first what is of the page's own document, if it is close to the
    best of all."""
    if page is not None and found.excerpts:
        own, least = path(page), found.excerpts[0].score - CLOSE
        first = [one.score >= least and _is_of(one.document, own) for one in found.excerpts]
        order = sorted(range(len(first)), key=lambda at: not first[at])
        found = replace(found, excerpts=tuple(found.excerpts[at] for at in order))
    return replace(found, excerpts=found.excerpts[:most])


def told(page: str) -> str:
    """What may be kept of a page's address: not what its visitor has sent with it, and of what is
    no address on the web, such as a file's or a script, only the kind."""
    bare = _AFTER_PATH.split(page.strip(), maxsplit=1)[0].replace("\\", "/")
    if other := _OF_NO_PAGE.match(bare):
        return other.group()[:LONGEST_TOLD]
    return _CREDENTIALS.sub(r"\1", bare)[:LONGEST_TOLD]


def _is_of(document: Document, page: str) -> bool:
    return page in {path(one) for one in (document.url, document.path) if one}


def path(address: str) -> str:
    """What names a page wherever it is served from: `https://a.example/docs/x/` is `docs/x.md`."""
    without_origin = _ORIGIN.sub("", address.strip(), count=1)
    whole = unquote(_AFTER_PATH.split(without_origin, maxsplit=1)[0])
    return _FILE.sub("", whole.strip("/"), count=1).strip("/")
