"""The documentation's pages, put together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from html import escape
from itertools import groupby
from pathlib import Path
from string import Template
from urllib.parse import urlsplit

from rag.wire.site.guide import GUIDE, Page
from rag.wire.site.markup import html

# Where the console looks for the widget's API.
WIDGET_API = '<meta name="footnote-widget-api" content="">'
_SENTENCE = re.compile(r"(?:^|\n\n)((?![#`|>!\-\d])[^\n]+)")
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_MARKS = re.compile(r"[*`<>]|\[([^\]]*)\]\([^)]*\)")
LONGEST_TEASER = 140


class Layout:
    """What all pages have around what they say."""

    def __init__(self, folder: Path, guide: Sequence[Page]) -> None:
        self._page = Template((folder / "page.html").read_text("utf-8"))
        self._home = Template((folder / "home.html").read_text("utf-8"))
        self._guide = guide
        # There are few, and each is asked for again and again.
        self.page = lru_cache(maxsize=256)(self._made)

    def home(self, root: str, widget_api: str) -> str:
        """The first page: what this is, and where to go on."""
        cards = "\n".join(
            f'<li><a href="{root}{page.url}">{escape(page.title)}</a>'
            f"<p>{escape(teaser(page.text))}</p></li>"
            for page in self._guide
            if page.group == GUIDE
        )
        content = self._home.substitute(root=root, cards=cards)
        return self._around(content, "Footnote", None, root, widget_api)

    def _made(self, page: Page, root: str, widget_api: str) -> str:
        """One page of the documentation."""
        known = frozenset(one.name for one in self._guide)
        content = f"<article>{html(page.text, known, root)}{self._onward(page, root)}</article>"
        return self._around(content, f"{page.title} · Footnote", page, root, widget_api)

    def _around(
        self, content: str, title: str, page: Page | None, root: str, widget_api: str
    ) -> str:
        return self._page.substitute(
            content=content,
            title=escape(title),
            root=root or "./",
            navigation=self._navigation(page, root),
            widget=escape(f"{widget_api}/widget.js" if widget_api else f"{root}widget.js"),
        )

    def _navigation(self, here: Page | None, root: str) -> str:
        groups = groupby(self._guide, lambda one: one.group)
        return "\n".join(
            f"<h2>{escape(group)}</h2>\n<ul>{_entries(pages, here, root)}</ul>"
            for group, pages in groups
        )

    def _onward(self, page: Page, root: str) -> str:
        after = self._guide[self._guide.index(page) + 1 :][:1]
        return "".join(
            f'<p class="onward"><a href="{root}{one.url}">{escape(one.title)} →</a></p>'
            for one in after
        )


def _entries(pages: Iterable[Page], here: Page | None, root: str) -> str:
    marks = {True: ' aria-current="page"', False: ""}
    return "".join(
        f'<li><a href="{root}{one.url}"{marks[one is here]}>{escape(one.title)}</a></li>'
        for one in pages
    )


def teaser(text: str) -> str:
    """How a page begins, in plain words."""
    first = _SENTENCE.search(_FENCED.sub("", text))
    words = _MARKS.sub(lambda mark: mark[1] or "", first[1] if first else "").rstrip(":")
    if len(words) <= LONGEST_TEASER:
        return words
    return words[:LONGEST_TEASER].rpartition(" ")[0].rstrip(",;:") + " …"


def with_widget_api(page: str, address: str) -> str:
    """The page, told where the widget's API is."""
    return page.replace(WIDGET_API, WIDGET_API.replace('""', f'"{escape(address)}"'))


def content_policy(widget_api: str, uploads: Iterable[str]) -> str:
    """What a page of ours may load, run and call: what is ours, and nothing inline."""
    widget = _origin(widget_api)
    may = {
        "default-src": ("'none'",),
        "script-src": ("'self'", *widget),
        "style-src": ("'self'",),
        "img-src": ("'self'",),
        "connect-src": ("'self'", *widget, *uploads),
        "base-uri": ("'none'",),
        "form-action": ("'none'",),
        "frame-ancestors": ("'none'",),
    }
    return "; ".join(f"{what} {' '.join(who)}" for what, who in may.items())


def _origin(url: str) -> tuple[str, ...]:
    parts = urlsplit(url)
    return (f"{parts.scheme}://{parts.netloc}",) if url else ()
