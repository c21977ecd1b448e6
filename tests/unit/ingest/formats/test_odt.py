from __future__ import annotations

import pytest

from rag.errors import Unreadable
from rag.ingest.formats import read
from rag.ingest.formats.package import DEEPEST
from tests.writers.odt import cell, package, paragraph, write
from tests.writers.story import STORY
from tests.writers.zipped import zipped


def text(body: str, styles: str = "") -> str:
    return read("odt", package(body, styles=styles)).text


def row(*cells: str) -> str:
    return f"<table:table-row>{''.join(cells)}</table:table-row>"


def test_its_properties_are_told_as_it_says_them() -> None:
    story = read("odt", write(STORY))
    assert story.properties == {"author": "Ada Brook", "created": "2024-05-17T00:00:00"}


def test_several_keywords_are_one_property() -> None:
    about = "<meta:keyword>newts</meta:keyword><meta:keyword>olms</meta:keyword>"
    assert read("odt", package(paragraph("a"), about)).properties == {"keywords": "newts, olms"}


def test_a_style_is_what_its_parent_is() -> None:
    styles = (
        '<style:style style:name="P1" style:parent-style-name="Title"/>'
        '<style:style style:name="P2" style:parent-style-name="P1"/>'
        '<style:style style:name="P3" style:parent-style-name="P3"/>'
        '<style:style style:name="P4" style:parent-style-name="Quotations"/>'
    )
    body = "".join(paragraph(style, style) for style in ("P1", "P2", "P3", "P4", "P5"))
    assert text(body, styles) == "# P1\n\n# P2\n\nP3\n\n> P4\n\nP5"


def test_white_space_is_what_elements_say() -> None:
    inner = 'a\n  b<text:s text:c="3"/>c<text:tab/>d<text:line-break/>e<text:span> f</text:span> g'
    assert text(f"<text:p>{inner}</text:p>") == "a b c d\ne f g"
    code = f'<text:p text:style-name="Preformatted_20_Text">{inner}</text:p>'
    assert text(code) == "```\na b   c\td\ne f g\n```"


def test_endless_spaces_end() -> None:
    assert len(text('<text:p>a<text:s text:c="999999999"/>b</text:p>')) == 3


def test_lists_know_their_depth() -> None:
    inner = f"<text:list><text:list-item>{paragraph('b')}</text:list-item></text:list>"
    assert (
        text(
            f"<text:list><text:list-item>{paragraph('a')}{inner}</text:list-item>"
            f"<text:list-item>{paragraph('c')}</text:list-item></text:list>"
        )
        == "- a\n  - b\n- c"
    )


def test_what_was_deleted_is_hidden_or_stands_elsewhere_is_left_out() -> None:
    styles = (
        '<style:style style:name="T1"><style:text-properties text:display="none"/></style:style>'
    )
    body = (
        f"<text:tracked-changes>{paragraph('deleted')}</text:tracked-changes>"
        f"<text:table-of-content>{paragraph('contents')}</text:table-of-content>"
        f'<text:section text:display="none">{paragraph("hidden")}</text:section>'
        f"<text:section>{paragraph('a')}</text:section>"
        '<text:p>b <text:span text:style-name="T1">hidden</text:span>c</text:p>'
    )
    assert text(body, styles) == "a\n\nb c"


def test_notes_comments_and_frames_follow_their_paragraph() -> None:
    body = (
        "<text:p>Newts<text:note><text:note-citation>1</text:note-citation><text:note-body>"
        f"{paragraph('Small ones.')}</text:note-body></text:note> swim"
        f"<office:annotation><dc:creator>Bo</dc:creator><dc:date>2024</dc:date>"
        f"{paragraph('Really?')}</office:annotation>"
        f"<draw:frame><draw:text-box>{paragraph('In a box.')}</draw:text-box>"
        "<svg:desc>A newt</svg:desc></draw:frame>.</text:p>"
    )
    assert text(body) == (
        "Newts swim.\n\n> Small ones.\n\n> Comment by Bo: Really?\n\nIn a box.\n\nA newt"
    )


def test_a_formula_is_written_in_the_line() -> None:
    frame = '<frame><object href="./Object 1"/></frame>'
    content = f"<document-content><body><text><p>is {frame}.</p></text></body></document-content>"
    formula = "<math><mfrac><mi>a</mi><mn>2</mn></mfrac></math>"
    parts = {"content.xml": content, "Object 1/content.xml": formula}
    assert read("odt", zipped(parts)).text == "is a/2."
    assert read("odt", zipped({"content.xml": content})).text == "is ."


def test_tables_keep_their_columns() -> None:
    wide = cell("a").replace(
        "<table:table-cell>", '<table:table-cell table:number-columns-spanned="2">'
    )
    repeated = '<table:table-cell table:number-columns-repeated="2"/>'
    rows = (
        f"<table:table-header-rows>{row(wide, '<table:covered-table-cell/>', cell('b'))}"
        f"</table:table-header-rows><table:table-rows>{row(cell('1'), cell('2'), cell('3'))}"
        f"{row(repeated, cell('4'))}</table:table-rows>"
    )
    assert text(f"<table:table>{rows}</table:table>") == (
        "| a |  | b |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n|  |  | 4 |"
    )


def test_tables_in_tables_do_not_multiply() -> None:
    inner = cell("a")
    for _ in range(20):
        repeated = inner.replace(
            "<table:table-cell>", '<table:table-cell table:number-columns-repeated="99">', 1
        )
        inner = f"<table:table-cell><table:table>{row(repeated)}</table:table></table:table-cell>"
    assert text(f"<table:table>{row(inner)}</table:table>") == "a"


def test_comments_in_comments_are_read_as_deep_as_they_may_be() -> None:
    inner = paragraph("a")
    for _ in range((DEEPEST - 4) // 2):
        inner = f"<text:p><office:annotation>{inner}</office:annotation></text:p>"
    assert text(inner) == "> a"


def test_a_document_with_a_password_says_so() -> None:
    with pytest.raises(Unreadable, match=r"^needs a password to open$"):
        read("odt", package(paragraph("a"), manifest="<manifest:encryption-data/>"))


def test_a_document_of_its_content_alone_is_read() -> None:
    content = "<document-content><body><text><p>a</p></text></body></document-content>"
    assert read("odt", zipped({"content.xml": content})).text == "a"


def test_a_package_without_content_is_damaged() -> None:
    with pytest.raises(Unreadable, match="is damaged"):
        read("odt", zipped({"mimetype": "application/vnd.oasis.opendocument.text"}))
