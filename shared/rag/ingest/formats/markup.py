"""Markup into a tree, as browsers do, and without what would take hours."""

from __future__ import annotations

import re
from collections import Counter

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from rag.errors import Unreadable
from rag.ingest.formats import flow
from rag.ingest.formats.block import Block

# The parser takes time that grows with the square of the elements that are open at once, and of
# the attributes that one of them has.
MOST_OPEN = 5_000
MOST_ATTRIBUTES = 10_000

_VOID = (
    "area base basefont bgsound br col embed frame hr img input link meta param source track wbr"
)
# Closed by others of their kind, or never open twice.
_SELF_CLOSING = frozenset(
    f"""{_VOID} html head body p li dt dd a nobr button form option optgroup colgroup
    thead tbody tfoot tr td th rt rp""".split()
)
_TAG = re.compile(
    r"""<!--(?:-?>|.*?(?:--!?>|\Z))"""
    r"""|<(/?)([a-zA-Z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^>"'])*+)""",
    re.DOTALL,
)
_LONG_TAG = re.compile(rf"<[a-zA-Z][^<>]{{{2 * MOST_ATTRIBUTES}}}")
_ATTRIBUTE = r"""[^\s/>=]++(?:\s*+=\s*+(?:"[^"]*"|'[^']*'|[^\s>]*+))?+[\s/]*+"""
_MANY_ATTRIBUTES = re.compile(f"<(?:{_ATTRIBUTE}){{{MOST_ATTRIBUTES}}}")
_EMPTY_ELEMENT = re.compile(
    rf"<((?!(?:{_VOID.replace(' ', '|')})[\s/])[a-zA-Z][\w:.-]*+)(\s[^<>]*)?/>", re.IGNORECASE
)


def tree(markup: str, *, xml: bool = False) -> LexborHTMLParser:
    """The tree of a page; of one that is XML if `xml`. Raises Unreadable."""
    if xml or markup.startswith("<?xml"):
        # In HTML such an element stays open: `<title/>` would make a title of the whole page.
        markup = _EMPTY_ELEMENT.sub(r"<\1\2></\1>", markup)
    if markup.count("<") - markup.count("</") > MOST_OPEN and _is_too_deep(markup):
        raise Unreadable("is nested too deeply")
    if any(_MANY_ATTRIBUTES.match(markup, tag.start()) for tag in _LONG_TAG.finditer(markup)):
        raise Unreadable(f"has a tag of more than {MOST_ATTRIBUTES} attributes")
    try:
        return LexborHTMLParser(markup)
    except SelectolaxError as error:  # it fails for no other reason
        raise MemoryError from error


def body(markup: str, *, xml: bool = False) -> list[Block]:
    """All that is seen of a page. Raises Unreadable."""
    found: LexborNode | None = tree(markup, xml=xml).body
    return flow.blocks(found) if found is not None else []


def _is_too_deep(markup: str) -> bool:
    """Whether more elements seem to be open at once. It is quick, and may be deceived: that takes
    time, which whoever calls readers limits anyway."""
    opened: Counter[str] = Counter()
    depth = 0
    for tag in _TAG.finditer(markup):
        closing, name, attributes = tag.groups("")
        name = name.lower()
        if name in _SELF_CLOSING or not name:
            continue
        if closing:
            if opened[name]:
                opened[name] -= 1
                depth -= 1
        elif not (attributes.endswith("/") and (opened["svg"] or opened["math"])):
            opened[name] += 1
            depth += 1
            if depth > MOST_OPEN:
                return True
    return False
