"""Code between fences, in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.model import Span

FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def closes(line: str, fence: str) -> bool:
    """Whether a line ends the code that this fence has opened."""
    found = FENCE.match(line)
    return found is not None and found[1].startswith(fence) and line.strip() == found[1]


def fences(text: str) -> Iterator[Span]:
    """Each fenced code with its fences, in order; one that nothing ends runs to the end."""
    start, fence, position = 0, "", 0
    for line in text.splitlines(keepends=True):
        end = position + len(line)
        if fence and closes(line, fence):
            yield Span(start, end)
            fence = ""
        elif not fence and (opened := FENCE.match(line)):
            start, fence = position, opened[1]
        position = end
    if fence:
        yield Span(start, position)
