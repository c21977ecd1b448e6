"""What stands around the content of a web page: menus, banners, notices about cookies."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from rag.ingest.formats.flow import Attributes

# The content is in the first of these that holds enough of the page.
_CONTENT = (
    "main",
    "[role=main]",
    "article",
    "#content",
    "#main-content",
    "#main",
    ".post-content",
    ".entry-content",
)
_LEAST_CONTENT = 250  # characters
_LEAST_SHARE = 0.2  # of the page
_MOST_OF_IT = 0.5  # which is enough, however short

_TAGS = frozenset({"nav", "dialog", "menu", "search"})
_ROLES = frozenset("navigation search dialog alertdialog menu menubar toolbar".split())
# Parts of the page, which have other meanings inside of its content.
_PAGE_TAGS = frozenset({"header", "footer"})
_PAGE_ROLES = frozenset("banner contentinfo complementary".split())


def _named(words: str) -> re.Pattern[str]:
    """One of the words between hyphens or underscores in a class or an id."""
    return re.compile(rf"(?<![^\s_-])(?:{'|'.join(words.split())})(?![^\s_-])", re.IGNORECASE)


_ALWAYS = _named(
    """cookies? cookiebar consent gdpr ccpa onetrust breadcrumbs? navbar navbox social share sharing
    sharedaddy newsletter subscribe popup modal lightbox adverts? advertisement adsbygoogle skip
    skip-?links? jump-?link noprint printfooter catlinks editsection sr-only visually-?hidden
    is-hidden screen-reader-text linenos?"""
)
_OUTSIDE = _named(
    """nav navigation megamenu dropdown sidebar banner toolbar masthead pagination pager
    comment-?respond footer"""
)
_OF_LINKS = _named("menus? related recommended")  # a restaurant's menu has none
_MANY_LINKS = 0.6  # of the text
_TOO_MUCH = 0.4  # of the page: nothing that holds more is an ornament


def content(page: LexborHTMLParser) -> LexborNode | None:
    """The element that holds the content; the whole body if there is none of its own."""
    body = page.body
    if body is None:
        return None
    whole = len(body.text())
    enough = min(max(_LEAST_CONTENT, _LEAST_SHARE * whole), _MOST_OF_IT * whole)
    for where in _CONTENT:
        found = page.css(where)
        # Several articles are a list of them.
        if not found or (where == "article" and len(found) > 1):
            continue
        largest = max(found, key=lambda node: len(node.text()))
        if len(largest.text()) > enough:
            return largest
    return body


class Furniture:
    """Tells the furniture of a page."""

    def __init__(self, body: LexborNode, root: LexborNode) -> None:
        self._most = _TOO_MUCH * len(body.text())
        self._is_content = root.tag != "body"

    def __call__(self, node: LexborNode, attributes: Attributes, is_inside: bool) -> bool:
        """Whether an element is furniture."""
        tag, role = node.tag or "", attributes.get("role")
        is_inside = is_inside or self._is_content
        if tag in ("main", "article"):
            return False
        if tag in _TAGS or role in _ROLES:
            return True
        if not is_inside and role in _PAGE_ROLES:
            return True
        if not is_inside and tag in _PAGE_TAGS:
            return node.css_first("h1") is None
        names = attributes.get("class") or ""
        if not is_inside and (name := attributes.get("id")) and not _is_section(node):
            names += f" {name}"
        if _ALWAYS.search(names):
            return self._is_ornament(node)
        if tag == "aside" or _OUTSIDE.search(names):
            return self._is_ornament(node) and (not is_inside or _is_mostly_links(node))
        if _OF_LINKS.search(names):
            return self._is_ornament(node) and _is_mostly_links(node)
        return False

    def _is_ornament(self, node: LexborNode) -> bool:
        return (
            len(node.text()) <= self._most
            and node.css_first("main, article, h1, [role=main]") is None
        )


def _is_section(node: LexborNode) -> bool:
    """Whether its id may be that of a heading: a section on cookies is no notice about them."""
    return node.css_first("h1, h2, h3, h4, h5, h6") is not None


def _is_mostly_links(node: LexborNode) -> bool:
    links = sum(len(link.text()) for link in node.css("a"))
    return links > _MANY_LINKS * len(node.text().strip())
