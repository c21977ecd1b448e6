"""Files into text. What a file is, its content and its name decide together."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from rag.errors import ParseError, UnsupportedFormat

TEXT = frozenset({".txt", ".text"})
MARKDOWN = frozenset({".md", ".markdown"})
MEDIA_TYPES = {"text/plain": ".txt", "text/markdown": ".md"}
SUPPORTED = "plain text (.txt) and Markdown (.md)"

_HEADING = re.compile(r"^#[ \t]+(.+?)[ \t#]*$", re.M)


@dataclass(frozen=True, slots=True)
class Parsed:
    """The text of a file, and what the file calls itself."""

    text: str
    title: str


def parse(path: str, media_type: str, data: bytes) -> Parsed:
    """Read a file. Raises UnsupportedFormat and ParseError."""
    name = PurePosixPath(path)
    kind = _kind(name, media_type)
    text = _text(name, data)
    heading = _HEADING.search(text) if kind in MARKDOWN else None
    return Parsed(text, heading.group(1) if heading else name.stem)


def _kind(name: PurePosixPath, media_type: str) -> str:
    for kind in (name.suffix.lower(), MEDIA_TYPES.get(media_type.partition(";")[0].strip(), "")):
        if kind in TEXT | MARKDOWN:
            return kind
    raise UnsupportedFormat(f"{name.name} cannot be read: only {SUPPORTED} can.")


def _text(name: PurePosixPath, data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ParseError(f"{name.name} is not text in UTF-8 (byte {error.start}).") from error
    if "\0" in text:
        raise ParseError(f"{name.name} is not text: it has null characters.")
    if not text.strip():
        raise ParseError(f"{name.name} has no text.")
    return text
