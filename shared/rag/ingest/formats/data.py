"""JSON, whole or line by line: each value under the names that lead to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder, dumps
from typing import Any

from rag.errors import Unreadable
from rag.ingest.formats.block import Block, Reading
from rag.ingest.formats.charset import decoded

# Only the end of a path is shown that is longer: a name may lead to a million values.
LONGEST_PATH = 500

_BLANK = re.compile(r"\s*+")
# Numbers stay as they are written, however many digits they have.
_DECODER = JSONDecoder(parse_int=str, parse_float=str)


def read(data: bytes, charset: str) -> Reading:
    """A block for each value of the file; where there is only one, a list, for each in that."""
    try:
        values = list(_values(decoded(data, charset)))
    except RecursionError as error:
        raise Unreadable("is nested too deeply") from error
    except JSONDecodeError as error:
        raise Unreadable(f"is not JSON: its line {error.lineno} is wrong") from error
    if len(values) == 1 and isinstance(values[0], list):
        values = values[0]
    return Reading([Block("paragraph", "\n".join(_lines(value))) for value in values])


def _values(text: str) -> Iterator[Any]:
    """One after the other: of most files there is one, of others one on each line."""
    at = _blank_until(text, 0)
    while at < len(text):
        value, end = _DECODER.raw_decode(text, at)
        yield value
        at = _blank_until(text, end)


def _blank_until(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def _lines(value: Any) -> Iterator[str]:
    """ "path.to.it: value" for everything inside, a list of plain values on one line."""
    waiting = [("", value)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(_joined(path, f".{key}"), inner) for key, inner in reversed(value.items())]
        elif isinstance(value, list) and any(isinstance(inner, dict | list) for inner in value):
            numbered = reversed(list(enumerate(value)))
            waiting += [(_joined(path, f"[{number}]"), inner) for number, inner in numbered]
        else:
            shown = ", ".join(map(_shown, value if isinstance(value, list) else [value]))
            yield f"{path}: {shown}" if path else shown


def _joined(path: str, name: str) -> str:
    return (path + name).removeprefix(".")[-LONGEST_PATH:]


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else dumps(value)
