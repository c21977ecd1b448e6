"""Markdown as HTML, for pages of our own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from html import escape
from typing import Any
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from rag.query.sources import slug

# Records are named by their file, alone or with its folder.
RECORD = re.compile(r"(?:infra/decisions/)?([a-z]+)\.md")


def html(text: str, known: frozenset[str], root: str) -> str:
    """The text with its first heading as the page's own. Names of records that are `known` lead
    to their pages."""
    tokens = _parser().parse(text)
    levels = [int(one.tag[1]) for one in tokens if one.type == "heading_open"]
    _name_headings(tokens, raised=min(levels, default=1) - 1)
    _link_records([child for one in tokens for child in one.children or ()], known, root)
    rendered: str = _parser().renderer.render(tokens, _parser().options, {})
    return rendered


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "typographer": False}).enable("table")
    # What is wider than a phone is scrolled by itself, by keyboard too.
    rules: dict[str, Any] = parser.renderer.rules  # type: ignore[attr-defined]
    wide = '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>'
    rules["table_open"] = lambda *_: wide
    rules["table_close"] = lambda *_: "</table></div>"
    rules["fence"] = _code
    # The site is the picture.
    rules["image"] = lambda *_: ""
    return parser


def _code(tokens: Sequence[Token], position: int, *_: Any) -> str:
    content = escape(tokens[position].content, quote=False)
    return f'<pre tabindex="0"><code>{content}</code></pre>\n'


def _name_headings(tokens: Sequence[Token], raised: int) -> None:
    """Give them the names by which citations point at them."""
    for position, token in enumerate(tokens):
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{int(token.tag[1]) - raised}"
        if token.type == "heading_open":
            token.attrSet("id", unquote(slug(tokens[position + 1].content)))


def _link_records(tokens: Sequence[Token], known: frozenset[str], root: str) -> None:
    for token in tokens:
        match = RECORD.fullmatch(token.content) if token.type == "code_inline" else None
        if match and f"why-{match[1]}" in known:
            token.type, token.tag = "html_inline", ""
            token.content = f'<a href="{root}guide/why-{match[1]}">{escape(token.content)}</a>'
