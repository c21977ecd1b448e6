"""JSON, whole or line by line: each value under the names that lead to it."""

from __future__ import annotations

from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder, dumps
from typing import Any

from rag.errors import Unreadable
from rag.ingest.formats.block import Block, Reading
from rag.ingest.formats.charset import decoded

# Only the end of a path is shown that is longer: a name may lead to a million values.
LONGEST_PATH = 500

# Numbers stay as they are written, however many digits they have.
_DECODER = JSONDecoder(parse_int=str, parse_float=str)


def read(data: bytes, charset: str) -> Reading:
    """One block for each element of the outermost list, or each line that is a value by itself."""
    text = decoded(data, charset)
    if not text.strip():
        return Reading([])
    try:
        return Reading([Block("paragraph", "\n".join(_lines(value))) for value in _values(text)])
    except RecursionError as error:
        raise Unreadable("is nested too deeply") from error


def _values(text: str) -> list[Any]:
    try:
        value = _DECODER.decode(text)
    except JSONDecodeError as whole:
        try:
            return list(_by_line(text))
        except JSONDecodeError as error:
            raise Unreadable(f"is not JSON: its line {whole.lineno} is wrong") from error
    return value if isinstance(value, list) else [value]


def _by_line(text: str) -> Iterator[Any]:
    for line in text.split("\n"):
        if line.strip():
            yield _DECODER.decode(line)


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
