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

LONGEST_TITLE = 2048

# It looks at each character once: whoever sends a million of them must not stop the server.
_HEADING = re.compile(r"^#[ \t]++(.+)", re.M)


@dataclass(frozen=True, slots=True)
class Parsed:
    """The text of a file, and what the file calls itself."""

    text: str
    title: str


def parse(path: str, media_type: str, data: bytes) -> Parsed:
    """Read a file; one without a path is what its media type says. Raises UnsupportedFormat and
    ParseError."""
    form = kind(path, media_type)
    text = _text(_called(path, media_type), data)
    heading = _heading(text) if form in MARKDOWN else ""
    return Parsed(text, heading or PurePosixPath(path).stem)


def kind(path: str, media_type: str) -> str:
    """What the file is, as its ending. Raises UnsupportedFormat."""
    by_type = MEDIA_TYPES.get(media_type.partition(";")[0].strip().lower(), "")
    for form in (PurePosixPath(path).suffix.lower(), by_type):
        if form in TEXT | MARKDOWN:
            return form
    raise UnsupportedFormat(f"{_called(path, media_type)} cannot be read: only {SUPPORTED} can.")


def _heading(text: str) -> str:
    """The first heading of the highest level that says something."""
    for found in _HEADING.finditer(text):
        heading = found.group(1).rstrip()
        opened = heading.rstrip("#")
        # "All about newts #" is closed by its last sign, and "C#" is not.
        if opened[-1:].isspace() or not opened:
            heading = opened.rstrip()
        if heading:
            return heading[:LONGEST_TITLE]
    return ""


def _called(path: str, media_type: str) -> str:
    return PurePosixPath(path).name or f"A document of type {media_type[:100]!r}"


def _text(name: str, data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ParseError(f"{name} is not text in UTF-8 (byte {error.start}).") from error
    if "\0" in text:
        raise ParseError(f"{name} is not text: it has null characters.")
    if not text.strip():
        raise ParseError(f"{name} has no text.")
    return text
