"""Workbooks of Excel: row by row, since a sheet may be long, with one cell in its far corner."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import groupby
from typing import Literal, TypeAlias
from xml.etree.ElementTree import Element

from rag.ingest.formats.block import Block, Reading
from rag.ingest.formats.package import Package, whole
from rag.ingest.formats.table import table

# Values that are further apart are not of one table, and what is between them is not written.
WIDEST_GAP = 256
LONGEST_VALUE = 32_767  # of a cell, in Excel itself; millions of cells may refer to the same
LAST_DAY = 2_958_466  # the first of the year 10000, as a number

# How a number is shown.
_Shown: TypeAlias = Literal["number", "percent", "day", "clock", "duration"]

_KNOWN: dict[int, _Shown] = {
    **dict.fromkeys((9, 10), "percent"),
    **dict.fromkeys((*range(14, 18), 22, *range(27, 37), *range(50, 59)), "day"),
    **dict.fromkeys((18, 19, 20, 21, 45, 47), "clock"),
    46: "duration",
}
# Of a format: what is written as it stands, colours and languages.
_LITERAL = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.|_.|\*.')
_DURATION = re.compile(r"\[(h+|m+|s+)\]")
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")


def read(data: bytes, charset: str) -> Reading:  # noqa: ARG001 - all parts say their own
    package = Package(data)
    properties = package.properties()
    blocks = list(_Workbook(package).blocks())
    return Reading(blocks, properties.pop("title", ""), properties)


class _Workbook:
    def __init__(self, package: Package) -> None:
        self._package = package
        main = package.main("xl/workbook.xml")
        self._root = package.tree(main)
        self._relations = package.relations(main)
        parts = {relation.kind: relation.part for relation in self._relations.values()}
        self._strings = _strings(package, parts.get("sharedStrings"))
        self._shown = _shown(package, parts.get("styles"))
        self._people = _people(package, parts.get("person"))
        says = self._root.find("workbookPr")
        self._from_1904 = says is not None and says.get("date1904") in ("1", "true")

    def blocks(self) -> Iterator[Block]:
        """All sheets that hold something, each under its name."""
        for sheet in self._root.findall("sheets/sheet"):
            relation = self._relations.get(sheet.get("r:id", ""))
            if relation is None or relation.kind != "worksheet":
                continue
            blocks = [*self._tables(relation.part), *self._comments(relation.part)]
            if blocks:
                # The name of a sheet is not that of the file.
                yield Block("heading", sheet.get("name", ""), 2)
                yield from blocks

    def _tables(self, part: str) -> Iterator[Block]:
        """Rows that are next to each other are a table, and a cell for itself is a paragraph."""
        another = False
        for filled, rows in groupby(self._rows(part), key=bool):
            if not filled:
                continue
            match _flush(list(rows)):
                case [[value]]:
                    yield Block("paragraph", value)
                case flush:
                    first, *rest = table(flush)
                    # Without a header it would be taken for more of the table before.
                    apart = another and first.kind == "row"
                    yield replace(first, kind="paragraph") if apart else first
                    yield from rest
                    another = True

    def _rows(self, part: str) -> Iterator[list[str]]:
        """The values of each row; where rows are left out, an empty one."""
        last = 0
        for row in self._package.elements(part, 3):
            if row.tag == "row":
                number = whole(row.get("r"), last + 1)
                if number > last + 1:
                    yield []
                yield self._values(row)
                last = number

    def _values(self, row: Element) -> list[str]:
        values: list[str] = []
        column = before = 0
        for cell in row:
            column = _column(cell.get("r", "")) or column + 1
            if value := self._value(cell):
                if column > before + 1:
                    values += [""] * min(column - before - 1, WIDEST_GAP)
                values.append(value)
                before = column
        return values

    def _value(self, cell: Element) -> str:
        value = cell.findtext("v", "")
        match cell.get("t", "n"):
            case "s":
                at = whole(value, len(self._strings))
                return self._strings[at] if at < len(self._strings) else ""
            case "inlineStr":
                return _rich(cell.find("is"))
            case "b":
                return {"1": "TRUE", "0": "FALSE"}.get(value, value)
            case "n":
                return self._number(value, self._shown.get(cell.get("s", "0"), "number"))
            case "str":
                return _unescaped(value)
            case _:  # days and errors, in words
                return value

    def _number(self, value: str, shown: _Shown) -> str:
        if shown == "number" and value.isdecimal():
            return value
        try:
            number = float(value)
        except ValueError:
            return value
        if shown == "percent":
            return f"{number * 100:.10g}%"
        if shown == "number" or not 0 <= number < LAST_DAY:
            return f"{number:.15g}"
        days, seconds = divmod(round(number * 86_400), 86_400)
        clock = f"{seconds // 60 % 60:02}:{seconds % 60:02}"
        if shown == "duration":
            return f"{days * 24 + seconds // 3600}:{clock}"
        clock = f"{seconds // 3600:02}:{clock}"
        if shown == "clock" or not days:
            return clock
        return f"{self._day(days)} {clock}" if seconds else self._day(days)

    def _day(self, days: int) -> str:
        if self._from_1904:
            return (date(1904, 1, 1) + timedelta(days)).isoformat()
        # Excel counts a 29th of February in 1900.
        return (date(1899, 12, 30 if days > 59 else 31) + timedelta(days)).isoformat()

    def _comments(self, part: str) -> Iterator[Block]:
        for kind, commented in self._package.relations(part).values():
            if kind == "comments":
                root = self._package.tree(commented)
                authors = [author.text or "" for author in root.findall("authors/author")]
                for one in root.findall("commentList/comment"):
                    at = whole(one.get("authorId"), len(authors))
                    author = authors[at] if at < len(authors) else ""
                    # Those of a thread are here for old programs only.
                    if not author.startswith("tc="):
                        yield _comment(one, author, _rich(one.find("text")))
            elif kind == "threadedComment":
                for one in self._package.tree(commented):
                    author = self._people.get(one.get("personId", ""), "")
                    yield _comment(one, author, one.findtext("text", ""))


def _comment(comment: Element, author: str, text: str) -> Block:
    by = f" by {author}" if author else ""
    return Block("quote", f"Comment{by} on {comment.get('ref', '')}: {' '.join(text.split())}")


def _flush(rows: Sequence[list[str]]) -> list[list[str]]:
    """The same rows, from the first column on in which there is anything."""
    empty = min(next(at for at, value in enumerate(row) if value) for row in rows)
    return [row[empty:] for row in rows]


def _column(place: str) -> int:
    """The number of the column in a place such as "B7"; 0 if there is none."""
    column = 0
    for letter in place[:3]:
        if not "A" <= letter <= "Z":
            break
        column = column * 26 + ord(letter) - 64
    return column


def _strings(package: Package, part: str | None) -> list[str]:
    """The texts that cells refer to by their numbers."""
    return [_rich(text)[:LONGEST_VALUE] for text in package.elements(part, 2)] if part else []


def _rich(text: Element | None) -> str:
    """A text that may have several looks; how to pronounce it is left out."""
    if text is None:
        return ""
    if len(text) == 1:  # nearly always
        return _unescaped(text.findtext("t") or text.findtext("r/t") or "")
    runs = (run for run in text if run.tag in ("t", "r"))
    return _unescaped("".join(one.text or "" for run in runs for one in run.iter("t")))


def _unescaped(text: str) -> str:
    if "_x" not in text:
        return text
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


def _people(package: Package, part: str | None) -> dict[str, str]:
    people = package.tree(part) if part else ()
    return {person.get("id", ""): person.get("displayName", "") for person in people}


def _shown(package: Package, part: str | None) -> dict[str, _Shown]:
    """How the numbers of cells are shown, by the numbers of their looks."""
    if part is None:
        return {}
    root = package.tree(part)
    codes = {
        whole(one.get("numFmtId")): one.get("formatCode", "")
        for one in root.findall("numFmts/numFmt")
    }
    looks = (whole(one.get("numFmtId")) for one in root.findall("cellXfs/xf"))
    return {
        str(at): _of_code(codes[look]) if look in codes else _KNOWN.get(look, "number")
        for at, look in enumerate(looks)
    }


def _of_code(code: str) -> _Shown:
    """What a format such as "yyyy-mm-dd" shows."""
    positive = code.lower().partition(";")[0]
    if _DURATION.search(positive):
        return "duration"
    letters = _LITERAL.sub("", positive)
    if "y" in letters or "d" in letters:
        return "day"
    if "h" in letters or "s" in letters:
        return "clock"
    if "m" in letters:
        return "day"
    return "percent" if "%" in letters else "number"
