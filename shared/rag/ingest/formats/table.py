"""Tables in text: values parted by commas, semicolons, tabs or bars."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from rag.errors import Unreadable
from rag.ingest.formats.block import Block, Reading, cells
from rag.ingest.formats.charset import decoded

_DELIMITERS = ",\t;|"
# What is looked at to see by which of them the values are parted.
_SAMPLE = 20_000
_SAMPLE_ROWS = 50
# A first line that spreadsheets write and read to say so.
_SAID = re.compile(r"sep=([,\t;|])\n")

# So many lines above a table may tell of it.
_MOST_ALONE = 10
_NUMBER = re.compile(r"(?=.*\d)[-+(]?[\d.,:/\s%$€£¥-]++\)?", re.S)
_YEAR = re.compile(r"(?:1[89]|20|21)\d\d")


def read(data: bytes, charset: str) -> Reading:
    """All rows."""
    text = decoded(data, charset)
    said = _SAID.match(text)
    try:
        rows = _rows(text[said.end() :], said[1]) if said else _rows(text, _delimiter(text))
        return Reading(list(table(rows)))
    except csv.Error as error:
        raise Unreadable("is not a table that can be read") from error


def table(rows: Iterable[Sequence[str]]) -> Iterator[Block]:
    """The rows that hold something. The first is the header if there are more and it names
    them; what stands alone above wider rows is no row, but says what the table is about."""
    filled = (row for row in map(_trimmed, rows) if row)
    alone: list[list[str]] = []
    first = next(filled, None)
    while first and len(first) == 1 and len(alone) < _MOST_ALONE:
        alone.append(first)
        first = next(filled, None)
    if first and len(first) > 1:
        yield from (Block("paragraph", value) for [value] in alone)
        alone = []
    every = chain(alone, [first] if first else [], filled)
    yield from _with_header(next(every, None), every)


def _with_header(first: list[str] | None, rest: Iterator[list[str]]) -> Iterator[Block]:
    second = next(rest, None)
    if first:
        is_header = second is not None and _names_columns(first)
        yield Block("header" if is_header else "row", cells(first))
    for row in chain([second] if second else [], rest):
        yield Block("row", cells(row))


def _names_columns(row: Sequence[str]) -> bool:
    """Names have no numbers among them, unless these are years, each of its own column."""
    numbers = [value for value in row[1:] if _NUMBER.fullmatch(value)]
    years = {value for value in numbers if _YEAR.fullmatch(value)}
    return not _NUMBER.fullmatch(row[0]) and len(years) == len(numbers) != 1


def _trimmed(row: Sequence[str]) -> list[str]:
    """The row up to its last value."""
    values = [value.strip() for value in row]
    while values and not values[-1]:
        values.pop()
    return values


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    # A single value may be as long as the file.
    csv.field_size_limit(max(len(text), csv.field_size_limit()))
    return csv.reader(_lines(text), delimiter=delimiter)


def _lines(text: str) -> Iterator[str]:
    """One by one: a copy of them all takes several times the memory of the text."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _delimiter(text: str) -> str:
    """The one by which the most rows have the same number of values, and more than one."""
    sample = text[:_SAMPLE]
    if len(text) > len(sample) and "\n" in sample:
        sample = sample[: sample.rindex("\n")]

    def agreement(delimiter: str) -> tuple[float, int]:
        rows = islice(_rows(sample, delimiter), _SAMPLE_ROWS)
        widths = Counter(len(row) for row in rows if any(row))
        [(width, count)] = widths.most_common(1) or [(0, 0)]
        return (count / widths.total(), min(width, _SAMPLE_ROWS)) if width > 1 else (0, 0)

    return max(_DELIMITERS, key=agreement)
