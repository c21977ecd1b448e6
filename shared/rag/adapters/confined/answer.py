"""What the process that reads a file writes: JSON, which can hold nothing but data."""

from __future__ import annotations

import json

from rag.errors import Unreadable
from rag.model import Caution, Mark, Parsed, Span

TOO_LARGE = "has more text than is taken at once"


def read(parsed: Parsed) -> str:
    """The answer where there is a text."""
    return json.dumps(
        {
            "text": parsed.text,
            "title": parsed.title,
            "marks": parsed.marks,
            "properties": dict(parsed.properties),
            "cautions": parsed.cautions,
        }
    )


def unreadable(reason: str) -> str:
    """The answer where there is none."""
    return json.dumps({"unreadable": reason})


def understood(answer: bytes) -> Parsed:
    """What an answer says. Raises Unreadable."""
    told = json.loads(answer)
    if "unreadable" in told:
        raise Unreadable(told["unreadable"])
    return Parsed(
        text=told["text"],
        title=told["title"],
        marks=tuple(
            Mark(start, page, tuple(section), Span(*header) if header else None)
            for start, page, section, header in told["marks"]
        ),
        properties=told["properties"],
        cautions=tuple(Caution(*one) for one in told["cautions"]),
    )
