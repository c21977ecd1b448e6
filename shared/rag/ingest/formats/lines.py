"""The lines of paragraphs, as they are meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from rag.ingest.formats.block import Block


def tidy(text: str) -> str:
    """A text without the white space that has no meaning; its lines stay."""
    return "\n".join(" ".join(line.split()) for line in text.split("\n")).strip()


def attributed(text: str, author: str) -> str:
    """What was noted on a document: a comment has an author, and a note of its own none."""
    return f"Comment by {author}: {text}" if text and author else text


def joined(blocks: Iterable[Block]) -> Iterator[Block]:
    """The same blocks, but those of code that follow each other as one: documents have a paragraph
    for each of its lines."""
    for kind, group in groupby(blocks, key=lambda block: block.kind):
        if kind != "code":
            yield from group
            continue
        first, *rest = group
        lines = "\n".join([first.text, *(block.text for block in rest)])
        yield replace(first, text=lines.strip("\n"))
