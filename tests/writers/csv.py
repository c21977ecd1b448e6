"""The tables of a story as values parted by commas."""

from __future__ import annotations

from collections.abc import Sequence

from tests.writers.story import Story, Table


def write(story: Story) -> bytes:
    """One table after the other, and nothing else of the story."""
    tables = [element for element in story.elements if isinstance(element, Table)]
    rows = [row for table in tables for row in (table.header, *table.rows)]
    return "".join(map(_line, rows)).encode("utf-8-sig")


def _line(texts: Sequence[str]) -> str:
    return ",".join('"' + text.replace('"', '""') + '"' for text in texts) + "\r\n"
