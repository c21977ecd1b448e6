from __future__ import annotations

import pytest

from rag.errors import Unreadable
from rag.ingest.formats import read
from rag.ingest.formats.rtf import DEEPEST
from rag.model import Parsed
from tests.writers.rtf import escaped, write
from tests.writers.story import STORY


def parsed(body: bytes, head: bytes = b"\\ansi") -> Parsed:
    return read("rtf", b"{\\rtf1" + head + b" " + body + b"}")


def test_its_properties_are_told_as_it_says_them() -> None:
    story = read("rtf", write(STORY))
    assert story.properties == {"author": "Ada Brook", "created": "2024-05-17"}
    assert story.cautions == ()


@pytest.mark.parametrize(
    ("head", "body", "text"),
    [
        (b"\\ansi", b"caf\\'e9", "café"),
        (b"\\ansi\\ansicpg1251", b"\\'ee\\'eb\\'ec", "олм"),
        (b"\\mac", b"caf\\'8e", "café"),
        (b"\\ansi\\ansicpg99999", b"caf\\'e9", "café"),
        (
            b"",
            b"{\\fonttbl{\\f0\\fcharset204 A;}{\\f1\\fcharset0 B;}}\\f0\\'ee{\\f1\\'e9}\\'ee",
            "оéо",
        ),
        (
            b"\\deff2",
            b"{\\fonttbl\\f1\\fcharset0 A;\\f2\\fcharset204 B;}\\'ee\\f1\\'e9\\plain\\'ee",
            "оéо",
        ),
        (
            b"",
            b"{\\fonttbl{\\f0\\fcharset128 A;}}\\f0\\'93\\'8c\\'8bE",
            "東畿",
        ),
    ],
)
def test_every_font_has_its_charset(head: bytes, body: bytes, text: str) -> None:
    assert parsed(body, head).text.startswith(text)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"\\u8364?5", "€5"),
        (b"\\u-10179?\\u-8704?!", "😀!"),
        (b"\\uc2\\u8364\\'80x5", "€5"),
        (b"{\\uc0\\u8364}5", "€5"),
        (b"\\u8364\\{5", "€5"),
        (b"{\\u8364}5", "€5"),
        (b"a\\u-10179?b", "ab"),
        (b"a\\u-8704?b", "a\ufffdb"),
        (b"\\u9999999999?x", "\ufffdx"),
        (b"\\ldblquote a\\~b\\rdblquote\\emdash c\\_d\\-e\\{\\}\\\\", "“a b”—c-de{}\\"),
        (b"a\r\nb\\line c\\tab d", "ab\nc d"),
        (b"a\\\nb\\par c", "a\n\nb\n\nc"),
        (b"a\\'zz b\\'", "azz b"),
    ],
)
def test_characters_are_what_they_stand_for(body: bytes, text: str) -> None:
    assert parsed(body).text.strip() == text


@pytest.mark.parametrize(
    "body",
    [
        b"{\\*\\unheard of}Newts",
        b"{\\pict\\pngblip 89504e47}Newts",
        b"{\\pict\\bin9 }}}}{{{{{}Newts",
        b"{\\header Page}{\\footerr Page}Newts",
        b"{\\v hidden}Newts{\\deleted gone}",
        b'{\\field{\\*\\fldinst HYPERLINK "http://x"}{\\fldrslt Newts}}',
        b"{\\shp{\\*\\shpinst\\shpleft0{\\sp{\\sn kind}{\\sv 1}}{\\shptxt Newts\\par}}}",
        b"{\\colortbl;\\red0;}{\\*\\listtable{\\list x}}Newts",
        b"Newts} and what follows the end",
    ],
)
def test_what_is_not_shown_is_no_text(body: bytes) -> None:
    assert parsed(body).text.strip() == "Newts"


def test_headings_are_told_by_style_or_outline() -> None:
    body = (
        b"{\\stylesheet{\\s1 heading 1;}{\\s2\\sbasedon1 Heading 2;}{\\s3 Title;}"
        b"{\\*\\cs4 x;}{\\s5 Titles of others;}}"
        b"\\pard\\s3 A\\par\\pard\\s2 B\\par\\pard\\outlinelevel2 C\\par"
        b"\\pard\\outlinelevel9 d\\par\\pard\\s5 e\\par\\s1 F\\par"
    )
    assert parsed(body).text == "# A\n\n## B\n\n### C\n\nd\n\ne\n\n# F"


def test_items_are_told_by_list_or_by_bullet() -> None:
    body = (
        b"{\\listtext\\pard 1.\\tab}\\pard\\ls1\\ilvl0 a\\par"
        b"{\\listtext x}\\pard\\ls1\\ilvl1 b\\par"
        b"\\pard{\\pntext\\'b7\\tab}c\\par\\pard\\bullet\\tab d\\par\\pard e"
    )
    assert parsed(body).text == "1. a\n  - b\n- c\n- d\n\ne"


def test_numbers_are_those_that_are_shown() -> None:
    body = (
        b"{\\stylesheet{\\s1 heading 1;}}"
        b"{\\listtext\\pard\\plain{\\f0 4.2}\\tab}\\pard\\s1\\ls1 A\\par"
        b"\\pard{\\pntext (b)\\tab}b\\par{\\pntext\\'a7\\tab}c\\par{\\pntext 5}d\\par"
        b"\\pard e{\\footnote{\\listtext 7.}f}\\par"
        b"\\trowd\\intbl{\\listtext 8.\\tab}g\\cell h\\cell\\row\\pard i"
    )
    assert parsed(body).text == (
        "# 4.2 A\n\n- (b) b\n- c\n- 5 d\n\ne\n\n> f\n\n| 8. g | h |\n| --- | --- |\n\ni"
    )


def test_tables_have_rows_and_a_header() -> None:
    body = (
        b"Food\\trowd\\cellx1\\cellx2\\pard\\intbl Animal\\cell Grams\\par each\\cell\\trowd\\row"
        b"\\trowd\\intbl Larva\\cell 2\\cell\\row\\trowd\\intbl alone\\cell\\row\\pard after"
        b"\\trowd x\\cell y\\cell"
    )
    assert parsed(body).text == (
        "Food\n\n| Animal | Grams each |\n| --- | --- |\n| Larva | 2 |\n\nalone\n\nafter\n\n"
        "| x | y |\n| --- | --- |"
    )


def test_notes_follow_their_paragraph() -> None:
    body = (
        b"Newts{\\super\\chftn{\\footnote\\pard Small\\par ones}} swim.\\par"
        b" Efts{\\*\\annotation Why?}."
    )
    assert parsed(body).text == "Newts swim.\n\n> Small ones\n\nEfts.\n\n> Why?"


def test_times_that_never_were_are_left_out() -> None:
    body = (
        b"{\\info{\\creatim\\yr2024\\mo13\\dy1}{\\revtim\\yr2024\\mo2\\dy29\\hr7\\min5}"
        b"{\\doccomm Wet {\\b and} cold}{\\company X}}a"
    )
    properties = parsed(body).properties
    assert properties == {"modified": "2024-02-29T07:05:00", "description": "Wet and cold"}


def test_a_file_that_is_cut_off_is_read_as_far_as_it_goes() -> None:
    cut = read("rtf", write(STORY)[:-400])
    assert cut.text.startswith("# The keeping of newts")
    assert cut.cautions == (("PARTLY_READ", "The end of the file is missing."),)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"Newts", "is not rich text"),
        (b"{\\rtf1 " + b"{\\b " * (DEEPEST + 1), "is nested too deeply"),
        (b"{\\rtf1}", "has no text"),
        (b"{\\rtf1 {\\pict\\bin9999999999 Newts", "has no text"),
    ],
)
def test_what_is_no_rich_text_is_said(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read("rtf", data)


def test_any_character_can_be_written() -> None:
    text = "日本語 עברית 😀 \\{é}"
    assert parsed(escaped(text).encode()).text == text
