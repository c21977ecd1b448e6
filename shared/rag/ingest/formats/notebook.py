"""Jupyter notebooks: text, code and what the code printed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from rag.errors import Unreadable
from rag.ingest.formats.block import Block, Reading
from rag.ingest.formats.charset import decoded
from rag.ingest.formats.markdown import Outline

LONGEST_OUTPUT = 10_000

# What is printed where a picture or a table is shown: "<Figure size 640x480 with 1 Axes>".
_STAND_IN = re.compile(r"\[?<[^<>\n]*>\]?")


def read(data: bytes, charset: str) -> Reading:
    """All cells in their order, each in the section of the headings before it."""
    try:
        book = json.loads(decoded(data, charset))
    except RecursionError as error:
        raise Unreadable("is nested too deeply") from error
    except ValueError as error:
        raise Unreadable("is not a notebook, or it is damaged") from error
    book = _names(book)
    about = _names(book.get("metadata"))
    outline = Outline()
    blocks: list[Block] = []
    for cell in _cells(book):
        blocks += _blocks(cell, outline, after=blocks)
    return Reading(blocks, _text(about.get("title")) or outline.title, _properties(about))


def _cells(book: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Before version 4, they were on worksheets."""
    for sheet in (book, *map(_names, _list(book.get("worksheets")))):
        yield from map(_names, _list(sheet.get("cells")))


def _blocks(cell: dict[str, Any], outline: Outline, after: list[Block]) -> list[Block]:
    text = _text(cell.get("source") or cell.get("input")).strip("\n")
    if cell.get("cell_type") == "code":
        codes = (text, *map(_printed, map(_names, _list(cell.get("outputs")))))
        return [Block("code", code, section=outline.section) for code in codes]
    if not text.strip():
        return []
    if cell.get("cell_type") == "heading":  # before version 4, too
        level = cell.get("level")
        text = f"{'#' * min(level if isinstance(level, int) else 1, 6)} {text}"
    # What is verbatim follows such text with nothing between.
    apart = "\n\n" if after and after[-1].kind == "verbatim" else ""
    return outline.blocks(apart + text)


def _printed(output: dict[str, Any]) -> str:
    """What a person saw below the code: no picture, and no words in place of one."""
    data = _names(output.get("data"))
    error = ": ".join(filter(None, map(_text, (output.get("ename"), output.get("evalue")))))
    plain = _text(data.get("text/plain"))
    if _STAND_IN.fullmatch(plain):
        plain = _text(data.get("text/markdown"))
    return (_text(output.get("text")) or plain or error).strip("\n")[:LONGEST_OUTPUT]


def _properties(about: dict[str, Any]) -> dict[str, str]:
    authors = [_text(_names(author).get("name")) for author in _list(about.get("authors"))]
    return {"author": ", ".join(filter(None, authors))}


# Nothing in a notebook needs to be of the type that it should be.


def _names(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    """A text, which may be written as a list of its lines."""
    return value if isinstance(value, str) else "".join(filter(_is_text, _list(value)))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
