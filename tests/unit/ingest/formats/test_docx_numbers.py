"""What Word counts by itself is read as it shows it."""

from __future__ import annotations

import pytest

from rag.ingest.formats import read
from rag.ingest.formats.docx_numbers import LONGEST
from rag.model import Parsed
from tests.writers.docx import package, paragraph, table


def level(number: int, text: str, kind: str = "decimal", start: int = 1, says: str = "") -> str:
    return (
        f'<w:lvl w:ilvl="{number}"><w:start w:val="{start}"/><w:numFmt w:val="{kind}"/>{says}'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
    )


def kind(name: int, *levels: str) -> str:
    return f'<w:abstractNum w:abstractNumId="{name}">{"".join(levels)}</w:abstractNum>'


def listed(name: int, of: int, says: str = "") -> str:
    return f'<w:num w:numId="{name}"><w:abstractNumId w:val="{of}"/>{says}</w:num>'


def restart(number: int, start: int) -> str:
    return f'<w:lvlOverride w:ilvl="{number}"><w:startOverride w:val="{start}"/></w:lvlOverride>'


def place(name: int, number: int = 0) -> str:
    return f'<w:numPr><w:ilvl w:val="{number}"/><w:numId w:val="{name}"/></w:numPr>'


def item(name: int, number: int = 0, text: str = "x") -> str:
    return paragraph(text, extra=place(name, number))


def style(name: str, says: str, based: str = "") -> str:
    return (
        f'<w:style w:type="paragraph" w:styleId="{name.replace(" ", "")}"><w:name w:val="{name}"/>'
        f'<w:basedOn w:val="{based}"/><w:pPr>{says}</w:pPr></w:style>'
    )


def parsed(body: str, numbering: str, styles: str = "") -> Parsed:
    return read("docx", package(body, numbering=numbering, styles=styles))


def signs(body: str, numbering: str) -> list[str]:
    """What each item begins with."""
    return [line.rpartition(" ")[0] for line in parsed(body, numbering).text.splitlines()]


DEEP = kind(
    0, level(0, "%1."), level(1, "%2)", "lowerLetter"), level(2, "%1.%2.%3.", "upperRoman")
) + listed(1, 0)  # fmt: skip


def test_levels_count_in_their_figures_and_deeper_ones_restart() -> None:
    body = "".join(item(1, number) for number in (0, 1, 2, 2, 1, 0, 1, 2))
    assert signs(body, DEEP) == [
        *("1.", "  a)", "    - 1.a.I.", "    - 1.a.II.", "  b)"),
        *("2.", "  a)", "    - 2.a.I."),
    ]


def test_a_list_goes_on_after_whatever_is_between() -> None:
    body = item(1) + paragraph("between") + item(1, text="") + item(1)
    assert parsed(body, DEEP).text == "1. x\n\nbetween\n\n3. x"


def test_a_list_starts_where_it_says() -> None:
    numbering = kind(0, level(0, "(%1)", start=7), level(1, "%1-%2", start=0)) + listed(1, 0)
    assert signs(item(1) + item(1, 1) + item(1), numbering) == ["- (7)", "  - 7-0", "- (8)"]


def test_a_level_that_was_left_out_shows_where_it_starts() -> None:
    assert signs(item(1, 2) + item(1), DEEP) == ["    - 1.a.I.", "1."]


def test_lists_of_one_kind_go_on_after_each_other_unless_one_restarts() -> None:
    numbering = DEEP + listed(2, 0) + listed(3, 0, restart(0, 5)) + kind(9, level(0, "%1)"))
    numbering += listed(4, 9)
    body = "".join(map(item, (1, 2, 4, 3, 3, 1, 4)))
    assert signs(body, numbering) == ["1.", "2.", "1)", "5.", "6.", "7.", "2)"]


def test_a_list_may_have_levels_of_its_own() -> None:
    other = f'<w:lvlOverride w:ilvl="0">{level(0, "%1)", "upperLetter")}</w:lvlOverride>'
    assert signs(item(1) + item(2), DEEP + listed(2, 0, other)) == ["1.", "B)"]


def test_a_level_restarts_only_after_those_it_says() -> None:
    numbering = listed(1, 0) + kind(
        0,
        level(0, "%1."),
        level(1, "%2.", says='<w:lvlRestart w:val="0"/>'),
        level(2, "%3.", says='<w:lvlRestart w:val="1"/>'),
    )
    body = "".join(item(1, number) for number in (0, 1, 2, 1, 2, 0, 1, 2))
    assert " ".join(signs(body, numbering)).split() == "1. 1. 1. 2. 2. 2. 3. 1.".split()


def test_all_numbers_of_a_legal_level_are_digits() -> None:
    numbering = listed(1, 0) + kind(
        0, level(0, "%1.", "upperRoman"), level(1, "%1.%2.", says="<w:isLgl/>")
    )
    assert signs(item(1) + item(1, 1), numbering) == ["- I.", "  - 1.1."]


def test_bullets_and_lists_that_nobody_defined_have_no_number() -> None:
    numbering = kind(0, level(0, "•", "bullet")) + listed(1, 0) + listed(2, 77)
    assert signs(item(1) + item(2) + item(3) + item(1, 5), numbering) == ["-"] * 3 + ["          -"]


def test_a_kind_may_be_that_of_a_style() -> None:
    link = '<w:abstractNum w:abstractNumId="{}"><w:{} w:val="{}"/>{}</w:abstractNum>'
    numbering = (
        link.format(0, "numStyleLink", "Mine", "")
        + link.format(1, "styleLink", "Mine", level(0, "%1)"))
        + link.format(2, "numStyleLink", "Missing", level(0, "%1."))
        + "".join(listed(number, number - 1) for number in (1, 2, 3))
    )
    assert signs(item(1) + item(2) + item(3), numbering) == ["1)", "2)", "1."]


def test_paragraphs_that_end_in_what_was_deleted_are_not_counted() -> None:
    gone = '<w:rPr><w:del w:id="1"/></w:rPr>'
    hidden = "<w:rPr><w:vanish/></w:rPr>"
    body = item(1) + paragraph("", extra=place(1) + gone) + paragraph("", extra=place(1) + hidden)
    assert signs(body + item(1), DEEP) == ["1.", "2."]


HEADINGS = listed(1, 0) + kind(
    0,
    level(0, "Part %1:", "upperRoman", says='<w:pStyle w:val="heading1"/>'),
    level(1, "%2"),
    level(2, "%2.%3", says='<w:pStyle w:val="heading3"/>'),
)
NUMBERED = '<w:numPr><w:numId w:val="1"/></w:numPr>'
STYLES = (
    style("heading 1", NUMBERED)
    + style("heading 2", '<w:numPr><w:ilvl w:val="1"/></w:numPr>', "heading1")
    + style("heading 3", '<w:numPr><w:ilvl w:val="8"/><w:numId w:val="1"/></w:numPr>', "heading2")
    + style("Mine", '<w:outlineLvl w:val="2"/>', "heading3")
)


def test_headings_are_numbered_by_their_styles_and_so_are_their_sections() -> None:
    body = (
        paragraph("Newts", "heading1")
        + paragraph("Housing", "heading2")
        + paragraph("Feeding", "heading2")
        + paragraph("Larvae", "heading3")
        + paragraph("Adults", "Mine")
        + paragraph("x")
        + paragraph("Index", "heading2", place(0))
        + paragraph("Records", "heading2")
    )
    found = parsed(body, HEADINGS, STYLES)
    assert found.text.split("\n\n") == [
        *("# Part I: Newts", "## 1 Housing", "## 2 Feeding", "### 2.1 Larvae", "### 2.2 Adults"),
        *("x", "## Index", "## 3 Records"),
    ]
    assert found.marks[4].section == ("Part I: Newts", "2 Feeding", "2.2 Adults")


def test_an_item_may_tell_its_level_and_leave_the_list_to_its_style() -> None:
    styles = style("Steps", NUMBERED)
    body = paragraph("a", "Steps") + paragraph(
        "b", "Steps", '<w:numPr><w:ilvl w:val="1"/></w:numPr>'
    )
    assert parsed(body, DEEP, styles).text == "1. a\n  a) b"


def test_cells_show_their_numbers_even_without_a_text() -> None:
    rows = (
        [f"<w:tc>{item(1, text=text)}</w:tc>", f"<w:tc>{paragraph(name)}</w:tc>"]
        for text, name in (("", "Olm"), ("", "Eft"), ("Last", "Newt"))
    )
    assert parsed(table(*rows), DEEP).text == (
        "| 1. | Olm |\n| --- | --- |\n| 2. | Eft |\n| 3. Last | Newt |"
    )


@pytest.mark.parametrize(
    "numbering",
    [
        "",
        "<w:num/><w:abstractNum/><w:num><w:abstractNumId/></w:num>",
        listed(1, 0) + kind(0, "<w:lvl/>"),
        listed(1, 0) + kind(0, level(0, "")),
        listed(1, 0) + kind(0, level(0, "%1" * LONGEST)),
        listed(1, 0) + kind(0, level(0, "%9%0%%")),
        listed(1, 0) + kind(0, level(0, "%1", "none")),
        listed(1, 0, '<w:lvlOverride w:ilvl="999999999"><w:lvl/></w:lvlOverride>' * 9),
        kind(0, '<w:numStyleLink w:val="a"/><w:styleLink w:val="a"/>') + listed(1, 0),
    ],
)
def test_a_numbering_that_makes_no_sense_numbers_nothing(numbering: str) -> None:
    shown = parsed(item(1) + item(1, 999_999_999), numbering).text
    assert shown.startswith(("- x\n", "- %0%% x\n"))


def test_numbers_stay_short_however_many_they_are_made_of() -> None:
    numbering = listed(1, 0) + kind(0, level(0, "%1" * (LONGEST // 2), start=999_999_999))
    assert len(parsed(item(1) + item(1), numbering).text) < 4 * LONGEST


def test_styles_in_a_circle_end() -> None:
    styles = style("A", NUMBERED, "B") + style("B", "", "A")
    assert parsed(paragraph("a", "A") + paragraph("b", "B"), DEEP, styles).text == "1. a\n2. b"
