"""What the process that reads a file writes: facts as JSON on one line, then the text.

Whoever wrote the file may have had a say in it. So it is held to what every reader keeps to.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any, get_args

from rag.errors import Unreadable
from rag.ingest.formats.block import PROPERTIES
from rag.ingest.formats.compose import (
    LONGEST_HEADING,
    LONGEST_PROPERTY,
    LONGEST_TITLE,
    LOWEST_HEADING,
)
from rag.model import Caution, CautionCode, Mark, Parsed, Span

TOO_LARGE = "has more text than is taken at once"
TOO_MANY_PLACES = "has more headings, pages and tables than are taken at once"

# Bytes of the facts. JSON of a few bytes can be objects of many more.
LONGEST_FACTS = 8 * 2**20
LONGEST_REASON = LONGEST_CAUTION = 300
MOST_CAUTIONS = 10
MOST_PAGES = 10_000_000


def read(parsed: Parsed) -> bytes:
    """The answer where there is a text. Raises Unreadable."""
    facts = json.dumps(
        {
            "title": parsed.title,
            "marks": parsed.marks,
            "properties": dict(parsed.properties),
            "cautions": parsed.cautions,
        }
    ).encode()
    if len(facts) > LONGEST_FACTS:
        raise Unreadable(TOO_MANY_PLACES)
    return b"%b\n%b" % (facts, parsed.text.encode())


def unreadable(reason: str) -> bytes:
    """The answer where there is none."""
    return json.dumps({"unreadable": reason[:LONGEST_REASON]}).encode() + b"\n"


def understood(answer: bytes | bytearray) -> Parsed:
    """What an answer says. Raises Unreadable; ValueError and others, if no reader says such."""
    end = answer.find(b"\n", 0, LONGEST_FACTS + 1)
    if end < 0:
        raise ValueError("no facts, or too many")
    told = json.loads(answer[:end])
    if "unreadable" in told:
        raise Unreadable(_shown(told["unreadable"], LONGEST_REASON))
    text = str(memoryview(answer)[end + 1 :], "utf-8")
    if not text or text.isspace() or "\0" in text:
        raise ValueError("no text, or one that cannot be stored")
    return Parsed(
        text=text,
        title=_short(told["title"], LONGEST_TITLE),
        marks=_marks(told["marks"], len(text)),
        properties={
            _property(name): _short(told["properties"][name], LONGEST_PROPERTY)
            for name in told["properties"]
        },
        cautions=tuple(_caution(*one) for one in told["cautions"][:MOST_CAUTIONS]),
    )


def _marks(told: Any, length: int) -> tuple[Mark, ...]:
    marks = tuple(_mark(length, *one) for one in told)
    if marks and marks[0].start != 0:
        raise ValueError("the first mark is not at the beginning")
    if any(one.start > other.start for one, other in pairwise(marks)):
        raise ValueError("marks are not in order")
    return marks


def _mark(length: int, start: Any, page: Any, section: Any, header: Any) -> Mark:
    if len(section) > LOWEST_HEADING:
        raise ValueError("a section is too deep")
    return Mark(
        _number(start, length),
        None if page is None else _number(page, MOST_PAGES),
        tuple(_short(heading, LONGEST_HEADING) for heading in section),
        None if header is None else _span(length, *header),
    )


def _span(length: int, start: Any, end: Any) -> Span:
    return Span(_number(start, _number(end, length)), end)


def _number(value: Any, most: int) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError("a number is out of its range")
    return value


def _caution(code: Any, message: Any) -> Caution:
    if code not in get_args(CautionCode):
        raise ValueError("a caution that nobody knows")
    return Caution(code, _shown(message, LONGEST_CAUTION))


def _property(name: str) -> str:
    if name not in PROPERTIES:
        raise ValueError("a property that nobody knows")
    return name


def _shown(value: Any, most: int) -> str:
    """Words that are shown to people."""
    if not _short(value, most).isprintable():
        raise ValueError("words that cannot be shown")
    return str(value)


def _short(value: Any, most: int) -> str:
    if len(_whole(value)) > most:
        raise ValueError("a text is too long")
    return str(value)


def _whole(value: Any) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise ValueError("no text, or one that cannot be stored")
    if not value.isascii():
        value.encode()  # raises where half of a character is missing
    return value
