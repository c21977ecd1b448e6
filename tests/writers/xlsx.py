"""A story as a workbook: a sheet for each heading of the first level, and its elements in cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

from tests.writers.ooxml import office, part, relations
from tests.writers.story import Element, Heading, Items, Story, Table

MAIN = "xl/workbook.xml"
KIND = "spreadsheetml"


def write(story: Story) -> bytes:
    """A workbook; elements have an empty row between them."""
    strings: dict[str, int] = {}
    sheets: dict[str, str] = {}
    name = story.title
    for element in story.elements:
        if isinstance(element, Heading) and element.level == 1:
            name = element.text
            sheets[name] = ""
            at = 1
        else:
            for row in _rows(element):
                sheets[name] += f'<s:row r="{at}">{_cells(at, row, strings)}</s:row>'
                at += 1
            at += 1
    listed = "".join(f"<s:si><s:t>{escape(text)}</s:t></s:si>" for text in strings)
    return package(sheets, story, sharedStrings=part("s:sst", listed))


def package(sheets: Mapping[str, str], story: Story | None = None, **parts: str) -> bytes:
    """A workbook of these sheets, as rows; further parts by the kinds of their relations."""
    numbers = range(1, len(sheets) + 1)
    listed = "".join(
        f'<s:sheet name={quoteattr(name)} sheetId="{number}" r:id="rId{number}"/>'
        for number, name in zip(numbers, sheets, strict=True)
    )
    workbook = f"{parts.pop('says', '')}<s:sheets>{listed}</s:sheets>"
    targets = [("worksheet", f"worksheets/sheet{number}.xml") for number in numbers]
    return office(
        MAIN,
        {
            MAIN: (f"{KIND}.sheet.main", part("s:workbook", workbook)),
            "xl/_rels/workbook.xml.rels": (
                "",
                relations([*targets, *((kind, f"{kind}.xml") for kind in parts)]),
            ),
            **{
                f"xl/{target}": (
                    f"{KIND}.worksheet",
                    part("s:worksheet", f"<s:sheetData>{rows}</s:sheetData>"),
                )
                for (_, target), rows in zip(targets, sheets.values(), strict=True)
            },
            **{f"xl/{kind}.xml": (f"{KIND}.{kind}", content) for kind, content in parts.items()},
        },
        story,
    )


def _rows(element: Element) -> Iterator[Sequence[str]]:
    match element:
        case Table(header, rows):
            yield from (header, *rows)
        case Items(texts):
            yield from ([text] for text in texts)
        case _:
            yield [element.text]


def _cells(row: int, values: Sequence[str], strings: dict[str, int]) -> str:
    def cell(column: str, value: str) -> str:
        place = f"{column}{row}"
        if value.isdecimal():
            return f'<s:c r="{place}"><s:v>{value}</s:v></s:c>'
        number = strings.setdefault(value, len(strings))
        return f'<s:c r="{place}" t="s"><s:v>{number}</s:v></s:c>'

    return "".join(map(cell, "ABCDEFGH", values))
