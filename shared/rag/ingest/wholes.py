"""What of a text is better not cut: list items, and code between fences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.fences import FENCE, closes
from rag.model import Span

_ITEM = re.compile(r"[ \t]*(?:[-*+•‣◦]|\d{1,9}[.)]|[A-Za-z]\))[ \t]")


def wholes(text: str) -> Iterator[Span]:
    """Each list item without those below it, and each fenced code with its fences; in order."""
    start, fence, position = -1, "", 0
    for line in text.splitlines(keepends=True):
        end = position + len(line)
        fenced = FENCE.match(line)
        if fence:
            if closes(line, fence):
                yield Span(start, end)
                start, fence = -1, ""
        elif fenced or _begins_something(line):
            if start >= 0:
                yield Span(start, position)
            start = position if fenced or is_item(line) else -1
            fence = fenced[1] if fenced else ""
        position = end
    if start >= 0:
        yield Span(start, position)


def is_item(line: str) -> bool:
    """Whether a list item begins with this line."""
    return _ITEM.match(line) is not None


def _begins_something(line: str) -> bool:
    """Whether the item before is over: any other line goes on with it."""
    return line.isspace() or line.startswith(("#", "|")) or is_item(line)
