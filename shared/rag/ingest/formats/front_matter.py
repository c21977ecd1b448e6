"""Front matter: what a text says of itself between two lines of dashes at its very beginning."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

LONGEST = 65_536

_FIRST = re.compile(r"---[ \t]*+\r?\n")
_BLANK_LINES = re.compile(r"(?:[ \t]*+\r?\n)*+")
_KEY = re.compile(r"(\w[\w -]*+):(?:[ \t]++(.*))?")
# Lines under a key, more of its value; an item of a list may stand as far left as its key.
_MORE = re.compile(r"(?:[ \t]+(?:- )?|- )(\S.*)")
_REMARK = re.compile(r"#|\s*$")
_BLOCK_SIGNS = frozenset({"|", ">", "|-", ">-", "|+", ">+"})


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What it tells, its keys in small letters, and where the text begins after it."""

    told: Mapping[str, str] = field(default_factory=dict)
    end: int = 0


def front_matter(text: str) -> FrontMatter:
    """That of a text. Two lines of dashes with anything else between are no front matter."""
    if not _FIRST.match(text):
        return FrontMatter()
    first, *lines = text[:LONGEST].split("\n")
    end = len(first) + 1
    told: dict[str, list[str]] = {}
    key = ""
    for line in lines:
        end += len(line) + 1
        if line.rstrip() in ("---", "..."):
            values = {key: _value(parts) for key, parts in told.items()}
            return FrontMatter(values, _after_blank_lines(text, end)) if told else FrontMatter()
        if found := _KEY.fullmatch(line.rstrip()):
            key = found[1].strip().lower()
            told[key] = [found[2] or ""]
        elif key and (found := _MORE.fullmatch(line.rstrip())):
            told[key].append(found[1])
        elif not _REMARK.match(line):
            break
    return FrontMatter()


def _value(parts: list[str]) -> str:
    first, *more = parts
    if first.startswith("[") and first.endswith("]"):
        return ", ".join(map(_unquoted, first[1:-1].split(",")))
    if first.strip() and first not in _BLOCK_SIGNS:
        return " ".join([_unquoted(first), *more])
    return (" " if first in _BLOCK_SIGNS else ", ").join(map(_unquoted, more))


def _unquoted(value: str) -> str:
    value = value.strip()
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted else value


def _after_blank_lines(text: str, end: int) -> int:
    blank = _BLANK_LINES.match(text, min(end, len(text)))
    return blank.end() if blank else end
