"""The elements of a page into blocks, in the order in which they are seen."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from selectolax.lexbor import LexborNode

from rag.ingest.formats.block import Block
from rag.ingest.formats.ordered import OrderedList
from rag.ingest.formats.spanned import SpannedTable

Attributes: TypeAlias = Mapping[str, str | None]
# Whether an element is left out; the last says whether it is inside of what is the content.
LeftOut: TypeAlias = Callable[[LexborNode, Attributes, bool], bool]

LONGEST_ITEM = 2_000  # characters; a list may be made of whole pages
DEEPEST_ITEM = 8

_NO_TEXT = frozenset(
    """script style noscript template svg iframe object embed canvas audio video map head meta link
    button select input textarea datalist progress meter rp rt""".split()
)
_BREAKS = frozenset(
    """address article aside blockquote body caption center dd details dialog dir div dl dt fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol
    p pre search section summary table tbody td tfoot th thead tr ul""".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CONTENT = frozenset({"main", "article"})

_UNSEEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
# The end of a line that is meant. No page holds this character: the parser replaces it.
_LINE_END = "\0"
_SOFT_HYPHEN = "\u00ad"
_FILE_NAME = re.compile(r"\.(?:png|jpe?g|gif|svg|webp)$", re.IGNORECASE)
_CARD = -1  # an item with a heading of its own: it is a part of the page


def blocks(root: LexborNode, left_out: LeftOut | None = None) -> list[Block]:
    """What is seen of an element, less what is `left_out` of it."""
    flow = _Flow(left_out)
    # Not by recursion: pages nest as deep as they like.
    waiting = [(root, False)]
    while waiting:
        node, is_seen = waiting.pop()
        if is_seen:
            flow.close(node)
        elif flow.open(node):
            waiting.append((node, True))
            waiting.extend((child, False) for child in _last_to_first(node))
    flow.end()
    return flow.blocks


def hidden(attributes: Attributes) -> bool:
    """Whether an element says that it is not seen."""
    return (
        ("hidden" in attributes and attributes["hidden"] != "until-found")
        or attributes.get("aria-hidden") == "true"
        or _UNSEEN.search(attributes.get("style") or "") is not None
    )


class _Flow:
    def __init__(self, left_out: LeftOut | None) -> None:
        self.blocks: list[Block] = []
        self._left_out = left_out
        self._words: list[str] = []  # since the last block
        self._items: list[int | None] = []  # of each list item that is open: which block it is
        self._lists: list[OrderedList | None] = []  # that are open; None if it has no numbers
        self._number = ""  # of an item that has no block yet
        self._cards = 0  # of these, how many are parts of the page
        self._term: int | None = None  # the block of the last term that was defined
        self._table: SpannedTable | None = None
        self._is_whole = False  # a heading or a cell is open: breaks inside are spaces
        self._contents = self._links = self._quotes = self._codes = 0

    def open(self, node: LexborNode) -> bool:
        """Whether what is inside of it is to be read."""
        tag = node.tag or ""
        if tag == "-text":
            self._words.append(node.text_content or "")
            return False
        if tag in _NO_TEXT or not tag[:1].isalpha():
            return False
        attributes = node.attributes
        if self._is_left_out(node, tag, attributes):
            return False
        if tag == "math":
            self._words.append(_formula(node, attributes))
            return False
        if tag in _BREAKS:
            self._break()
        self._enter(node, tag, attributes)
        return True

    def _is_left_out(self, node: LexborNode, tag: str, attributes: Attributes) -> bool:
        if tag in ("html", "body"):
            return False
        if attributes and (hidden(attributes) or (tag == "a" and _is_sign(node, attributes))):
            return True
        return self._left_out is not None and self._left_out(node, attributes, self._contents > 0)

    def _enter(self, node: LexborNode, tag: str, attributes: Attributes) -> None:
        match tag:
            case "br":
                self._words.append(_LINE_END)
            case "img" if not self._links:
                self._words.append(_shown(attributes))
            case "a":
                self._links += 1
            case "q":
                self._words.append("“")
            case "pre":
                self._codes += 1
            case "blockquote":
                self._quotes += 1
            case "ol":
                self._lists.append(OrderedList(attributes, _length(node, attributes)))
            case "ul" | "menu" | "dir":
                self._lists.append(None)
            case "li":
                self._enter_item(None, self._counted(attributes))
            case "dt":
                self._enter_item(None)
            case "dd":
                self._enter_item(self._term)
            case "table" if not (self._table or self._codes or self._is_whole) and _is_data(node):
                self._table = SpannedTable()
            case "tr" if self._table:
                self._table.begin_row()
            case "td" | "th" if self._table:
                self._is_whole = True
            case _ if tag in _HEADINGS and not self._codes:
                self._is_whole = True
            case _ if tag in _CONTENT:
                self._contents += 1

    def close(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag in _HEADINGS and self._is_whole and not self._table:
            self._is_whole = False
            self._end_heading(_HEADINGS[tag])
        elif tag in ("td", "th") and self._table:
            self._is_whole = False
            attributes = node.attributes
            self._table.add(
                self._taken(),
                is_head=tag == "th",
                columns=_count(attributes.get("colspan")),
                rows=_count(attributes.get("rowspan")),
            )
        elif tag == "pre" and self._codes == 1 and not self._is_whole:
            self.end()
        elif tag in _BREAKS:
            self._break()
        self._leave(tag)

    def _leave(self, tag: str) -> None:
        match tag:
            case "a":
                self._links -= 1
            case "q":
                self._words.append("”")
            case "pre":
                self._codes -= 1
            case "blockquote":
                self._quotes -= 1
            case "li" | "dd":
                self._leave_item()
            case "ol" | "ul" | "menu" | "dir":
                self._lists.pop()
            case "dt":
                self._term = self._leave_item()
            case "table" if self._table:
                self.blocks.extend(self._table.blocks())
                self._table = None
            case _ if tag in _CONTENT:
                self._contents -= 1

    def _break(self) -> None:
        if self._is_whole:
            self._words.append(" ")
        elif self._codes:
            # Some pages make each line of code a block of its own.
            if self._words and not self._words[-1].endswith("\n"):
                self._words.append("\n")
        else:
            self.end()

    def end(self) -> None:
        """The words so far are a block."""
        text = self._taken()
        if not text:
            return
        if self._codes:
            self.blocks.append(Block("code", text))
        elif self._items and self._items[-1] != _CARD:
            self._add_to_item(text)
        else:
            self.blocks.append(Block("quote" if self._quotes else "paragraph", text))

    def _end_heading(self, level: int) -> None:
        if text := self._taken():
            self.blocks.append(Block("heading", text, level))
            if self._items and self._items[-1] != _CARD:
                self._items[-1] = _CARD
                self._cards += 1

    def _counted(self, attributes: Attributes) -> str:
        ordered = self._lists[-1] if self._lists else None
        return ordered.next(attributes.get("value")) if ordered else ""

    def _enter_item(self, block: int | None, number: str = "") -> None:
        self._items.append(block)
        self._number = number
        if self._is_whole:  # what is in a cell is words
            self._words.append(f"{number} ")

    def _add_to_item(self, text: str) -> None:
        """All paragraphs of an item are one block, as far as nothing else is between them."""
        last = len(self.blocks) - 1
        if self._items[-1] == last and len(self.blocks[last].text) < LONGEST_ITEM:
            item = self.blocks[last]
            self.blocks[last] = replace(item, text=f"{item.text}\n{text}")
        else:
            self._items[-1] = len(self.blocks)
            depth = len(self._items) - self._cards - 1
            self.blocks.append(Block("item", text, min(depth, DEEPEST_ITEM), number=self._number))
            self._number = ""

    def _leave_item(self) -> int | None:
        self._number = ""
        item = self._items.pop()
        if item == _CARD:
            self._cards -= 1
            return None
        return item

    def _taken(self) -> str:
        text = "".join(self._words).replace(_SOFT_HYPHEN, "")
        self._words.clear()
        if self._codes and not self._is_whole:
            return text.replace(_LINE_END, "\n").strip("\n").rstrip()
        lines = (" ".join(line.split()) for line in text.split(_LINE_END))
        return "\n".join(line for line in lines if line)


def _last_to_first(node: LexborNode) -> Iterator[LexborNode]:
    child = node.last_child
    while child is not None:
        yield child
        child = child.prev


def _length(ordered: LexborNode, attributes: Attributes) -> int:
    """How many items a list has that counts down to the first."""
    if "reversed" not in attributes:
        return 0
    return sum(child.tag == "li" for child in _last_to_first(ordered))


def _is_data(table: LexborNode) -> bool:
    """Whether a table holds rows and columns, and is not there to place parts of the page."""
    if table.attributes.get("role") in ("presentation", "none"):
        return False
    if table.css_first("h1, h2, h3, h4, h5, h6, pre") is not None:
        return False
    # The table itself is among those that are found.
    return (
        len(table.css("table")) == 1
        and len(table.css("tr")) > 1
        and table.css_first(":is(td, th) + :is(td, th)") is not None
    )


def _shown(picture: Attributes) -> str:
    """What a picture shows, in words; some programs tell but the name of its file."""
    words = (picture.get("alt") or "").strip()
    return "" if _FILE_NAME.search(words) else f" {words} "


def _is_sign(link: LexborNode, attributes: Attributes) -> bool:
    """Whether it only leads to a place of the same page: ¶ behind a heading, ↩ behind a note."""
    if not (attributes.get("href") or "").startswith("#"):
        return False
    return not any(map(str.isalnum, link.text()))


def _formula(math: LexborNode, attributes: Attributes) -> str:
    """As it was written by hand, where the page tells: the text of its parts has no structure."""
    written = math.css_first('annotation[encoding*="tex"]')
    if written is not None:
        return f" {written.text()} "
    return attributes.get("alttext") or math.text()


def _count(span: str | None) -> int:
    return int(span) if span and span.isascii() and span.isdigit() and len(span) < 4 else 1
