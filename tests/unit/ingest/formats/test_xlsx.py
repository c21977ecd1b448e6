from __future__ import annotations

import tracemalloc

import pytest

from rag.ingest.formats import read
from tests.writers.ooxml import part, relations
from tests.writers.story import STORY
from tests.writers.xlsx import package, write
from tests.writers.zipped import zipped


def text(*rows: str, **parts: str) -> str:
    """The text of one sheet of the name S, less that."""
    return read("xlsx", package({"S": "".join(rows)}, **parts)).text.removeprefix("## S\n\n")


def row(*cells: str, at: int = 0) -> str:
    number = f' r="{at}"' if at else ""
    return f"<s:row{number}>{''.join(cells)}</s:row>"


def cell(value: str, place: str = "", kind: str = "", look: int | None = None) -> str:
    says = {"r": place, "t": kind, "s": "" if look is None else str(look)}
    named = "".join(f' {name}="{value}"' for name, value in says.items() if value)
    return f"<s:c{named}><s:v>{value}</s:v></s:c>"


def words(value: str, place: str = "") -> str:
    return cell(value, place, "str")


def styles(*formats: int | str) -> str:
    """Looks of cells, by the numbers of the formats that are known or by codes."""
    codes = "".join(
        f'<s:numFmt numFmtId="{164 + at}" formatCode="{code}"/>'
        for at, code in enumerate(formats)
        if isinstance(code, str)
    )
    looks = "".join(
        f'<s:xf numFmtId="{164 + at if isinstance(code, str) else code}"/>'
        for at, code in enumerate(formats)
    )
    return part("s:styleSheet", f"<s:numFmts>{codes}</s:numFmts><s:cellXfs>{looks}</s:cellXfs>")


def test_a_story_is_read_with_its_table() -> None:
    parsed = read("xlsx", write(STORY))
    assert parsed.text.startswith("## The keeping of newts\n\nNewts are small salamanders")
    assert (
        "\n\n| Animal | Food | Grams per week |\n| --- | --- | --- |\n| Larva | Daphnia | 2 |\n"
        in parsed.text
    )
    assert {mark.section for mark in parsed.marks} == {("The keeping of newts",)}
    assert parsed.title == STORY.title
    assert parsed.properties["author"] == "Ada Brook"


def test_sheets_are_sections_and_empty_ones_are_left_out() -> None:
    sheets = {"Newts": row(words("a")), "Empty": row(cell("")), "Food & more": row(words("b"))}
    parsed = read("xlsx", package(sheets))
    assert parsed.text == "## Newts\n\na\n\n## Food & more\n\nb"
    assert [mark.section for mark in parsed.marks] == [("Newts",), ("Food & more",)]
    assert parsed.title == ""


def test_values_are_read_as_they_are_shown() -> None:
    strings = part(
        "s:sst",
        "<s:si><s:t>plain</s:t></s:si>"
        "<s:si><s:r><s:t>two </s:t></s:r><s:r><s:t>looks</s:t></s:r></s:si>"
        "<s:si><s:t>東京</s:t><s:rPh><s:t>トウキョウ</s:t></s:rPh></s:si>"
        "<s:si><s:t>a_x000D_b</s:t></s:si>",
    )
    inline = '<s:c t="inlineStr"><s:is><s:t>inline</s:t></s:is></s:c>'
    values = (
        *(cell(str(at), kind="s") for at in (*range(4), 99)),
        inline,
        cell("1", kind="b"),
        cell("#DIV/0!", kind="e"),
        cell("2024-05-17", kind="d"),
        cell("007"),
        cell("0.30000000000000004"),
        cell("1.5E3"),
        cell("nonsense"),
        "<s:c><s:f>A1+1</s:f><s:v>3</s:v></s:c>",
    )
    assert text(row(*values), sharedStrings=strings) == (
        "| plain | two looks | 東京 | a b |  | inline | TRUE | #DIV/0! | 2024-05-17 | 007 | 0.3"
        " | 1500 | nonsense | 3 |"
    )


@pytest.mark.parametrize(
    ("look", "value", "shown"),
    [
        (14, "45429", "2024-05-17"),
        (22, "45429.4375", "2024-05-17 10:30:00"),
        (14, "1", "1900-01-01"),
        (14, "61", "1900-03-01"),
        (14, "-1", "-1"),
        (14, "99999999", "99999999"),
        (14, "nan", "nan"),
        (20, "0.4375", "10:30:00"),
        (20, "3.4375", "10:30:00"),
        (46, "1.5", "36:00:00"),
        (9, "0.07", "7%"),
        ("0.0%", "0.123", "12.3%"),
        ("dd/mm/yyyy;@", "45429", "2024-05-17"),
        ("[$-407]mmmm", "45429", "2024-05-17"),
        ("h:mm AM/PM", "0.4375", "10:30:00"),
        ("[h]:mm", "1.5", "36:00:00"),
        ("0.00 &quot;days&quot;", "1.5", "1.5"),
        ("[Red]#,##0", "1500", "1500"),
        ("General", "1.5", "1.5"),
    ],
)
def test_numbers_are_shown_by_their_look(look: int | str, value: str, shown: str) -> None:
    assert text(row(cell(value, look=1)), styles=styles(0, look)) == shown


def test_days_may_be_counted_from_1904_on() -> None:
    says = '<s:workbookPr date1904="1"/>'
    assert text(row(cell("43967", look=0)), styles=styles(14), says=says) == "2024-05-17"


def test_rows_apart_are_tables_of_their_own() -> None:
    found = text(
        row(words("Name"), words("Age"), at=1),
        row(words("Ada"), cell("3"), at=2),
        row(words("Note"), at=4),
        row(cell("1"), cell("2"), at=6),
        row(cell("3"), cell("4"), at=7),
        row(words("Food"), words("Grams"), at=9),
        row(words("Daphnia"), cell("2"), at=10),
    )
    assert found == (
        "| Name | Age |\n| --- | --- |\n| Ada | 3 |\n\nNote\n\n| 1 | 2 |\n\n| 3 | 4 |\n\n"
        "| Food | Grams |\n| --- | --- |\n| Daphnia | 2 |"
    )


def test_a_first_table_needs_no_header() -> None:
    assert text(row(cell("1"), cell("2")), row(cell("3"), cell("4"))) == "| 1 | 2 |\n| 3 | 4 |"


def test_a_table_begins_at_its_own_first_column() -> None:
    found = text(
        row(words("Spring", "D3"), words("Summer", "E3"), at=3),
        row(words("Newts", "C4"), cell("1", "D4"), cell("2", "E4"), at=4),
    )
    assert found == "|  | Spring | Summer |\n| --- | --- | --- |\n| Newts | 1 | 2 |"


def test_cells_without_places_follow_each_other() -> None:
    assert text(row(words("a"), cell(""), words("b"))) == "| a |  | b |"


def test_a_cell_in_the_far_corner_takes_no_room() -> None:
    far = [row(words("a"), words("far", f"XFD{at}"), at=at) for at in range(1, 1000)]
    written = package({"S": "".join(far)})
    tracemalloc.start()
    parsed = read("xlsx", written)
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()
    assert "far" in parsed.text
    assert len(parsed.text) < 1_000_000


def test_comments_follow_their_sheet() -> None:
    written = {
        "xl/workbook.xml": part(
            "s:workbook", '<s:sheets><s:sheet name="S" r:id="rId1"/></s:sheets>'
        ),
        "xl/_rels/workbook.xml.rels": relations([("worksheet", "s.xml"), ("person", "p.xml")]),
        "xl/s.xml": part("s:worksheet", f"<s:sheetData>{row(words('a'))}</s:sheetData>"),
        "xl/p.xml": '<personList><person displayName="Ada" id="{1}"/></personList>',
        "xl/_rels/s.xml.rels": relations([("comments", "c.xml"), ("threadedComment", "t.xml")]),
        "xl/c.xml": part(
            "s:comments",
            "<s:authors><s:author>Bo</s:author><s:author>tc={2}</s:author></s:authors>"
            '<s:commentList><s:comment ref="A1" authorId="0"><s:text><s:r><s:t>Really?</s:t></s:r>'
            '</s:text></s:comment><s:comment ref="A2" authorId="1"><s:text><s:t>[Threaded]</s:t>'
            "</s:text></s:comment></s:commentList>",
        ),
        "xl/t.xml": '<ThreadedComments><threadedComment ref="A2" personId="{1}">'
        "<text>Yes.</text></threadedComment></ThreadedComments>",
    }
    assert read("xlsx", zipped(written)).text == (
        "## S\n\na\n\n> Comment by Bo on A1: Really?\n\n> Comment by Ada on A2: Yes."
    )


def test_a_value_is_no_longer_than_it_can_be_in_excel() -> None:
    strings = f"<sst><si><t>{'x' * 40_000}</t></si></sst>"
    assert text(row('<c t="s"><v>0</v></c>'), sharedStrings=strings).endswith("x" * 32_767)
    assert "x" * 32_768 not in text(row('<c t="s"><v>0</v></c>'), sharedStrings=strings)
