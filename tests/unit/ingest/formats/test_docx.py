from __future__ import annotations

import pytest

from rag.errors import Unreadable
from rag.ingest.formats import read
from rag.ingest.formats.package import DEEPEST
from tests.writers.docx import cell, package, paragraph, table, write
from tests.writers.ooxml import office
from tests.writers.story import STORY
from tests.writers.zipped import zipped


def text(body: str, **parts: str) -> str:
    return read("docx", package(body, **parts)).text


def style(name: str, based: str = "", says: str = "") -> str:
    return (
        f'<w:style w:type="paragraph" w:styleId="{name.replace(" ", "")}"><w:name w:val="{name}"/>'
        f'<w:basedOn w:val="{based}"/><w:pPr>{says}</w:pPr></w:style>'
    )


def note(kind: str, id: int, words: str, attributes: str = "") -> str:
    return f'<w:{kind} w:id="{id}" {attributes}>{paragraph(words)}</w:{kind}>'


def test_its_properties_are_told_as_it_says_them() -> None:
    story = read("docx", write(STORY))
    assert story.properties == {"author": "Ada Brook", "created": "2024-05-17T00:00:00Z"}


def test_headings_are_told_by_outline_or_by_style_or_by_the_style_that_is_based_on() -> None:
    styles = (
        style("heading 2")
        + style("Mine", "heading2")
        + style("Deep", "Mine")
        + style("Plain", "heading2", '<w:outlineLvl w:val="9"/>')
        + style("Title")
        + style("Circle", "Circle")
    )
    body = (
        paragraph("a", "Title")
        + paragraph("b", "Deep")
        + paragraph("c", extra='<w:outlineLvl w:val="2"/>')
        + paragraph("d", "Plain")
        + paragraph("e", "Deep", '<w:outlineLvl w:val="9"/>')
        + paragraph("f", "Circle")
        + paragraph("g", "Unknown")
    )
    assert text(body, styles=styles) == "# a\n\n## b\n\n### c\n\nd\n\ne\n\nf\n\ng"


def test_items_are_told_by_their_numbering_or_their_styles() -> None:
    numbered = '<w:numPr><w:ilvl w:val="{}"/><w:numId w:val="{}"/></w:numPr>'
    styles = style("List Bullet", says='<w:numPr><w:numId w:val="3"/></w:numPr>') + style(
        "heading 1"
    )
    body = (
        paragraph("a", extra=numbered.format(0, 1))
        + paragraph("b", extra=numbered.format(1, 1))
        + paragraph("c", "ListBullet")
        + paragraph("d", "ListBullet", numbered.format(0, 0))
        + paragraph("e", "heading1", numbered.format(0, 1))
    )
    assert text(body, styles=styles) == "- a\n  - b\n- c\n\nd\n\n# e"


def test_lines_of_code_that_are_paragraphs_stand_together() -> None:
    lines = "".join(paragraph(line, "SourceCode") for line in ("a:", "    b", "", "c"))
    assert text(lines + paragraph("d")) == "```\na:\n    b\n\nc\n```\n\nd"


def test_a_table_of_contents_is_left_out() -> None:
    styles = style("toc 1") + style("TOC Heading")
    body = paragraph("Contents", "TOCHeading") + paragraph("One 1", "toc1") + paragraph("One")
    assert text(body, styles=styles) == "One"


def test_what_was_deleted_or_is_hidden_is_left_out() -> None:
    run = "<w:r>{}<w:t>{}</w:t></w:r>"
    body = (
        "<w:p>"
        + f"<w:ins>{run.format('', 'new ')}</w:ins>"
        + "<w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
        + f"<w:moveFrom>{run.format('', 'gone')}</w:moveFrom>"
        + run.format("<w:rPr><w:vanish/></w:rPr>", "secret")
        + run.format('<w:rPr><w:vanish w:val="0"/></w:rPr>', "words")
        + "<w:r><w:instrText>PAGE</w:instrText></w:r>"
        + "<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>"
        + f"{run.format('', 'Click here.')}</w:sdtContent></w:sdt>"
        + "</w:p>"
    )
    rows = (
        "<w:tbl><w:tr><w:trPr><w:del/></w:trPr>"
        + f"{cell('gone')}</w:tr><w:tr>{cell('kept')}</w:tr></w:tbl>"
    )
    assert text(body + rows) == "new words\n\nkept"


def test_white_space_and_hyphens_are_kept_as_such() -> None:
    runs = "<w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t> c</w:t><w:noBreakHyphen/><w:t>d</w:t>"
    assert text(f"<w:p><w:r>{runs}<w:softHyphen/></w:r></w:p>") == "a b\nc-d"


def test_fields_links_and_filled_in_forms_are_read() -> None:
    run = "<w:r><w:t>{}</w:t></w:r>"
    body = (
        f"<w:sdt><w:sdtPr/><w:sdtContent><w:p><w:hyperlink>{run.format('a')}</w:hyperlink>"
        f"<w:fldSimple>{run.format('b')}</w:fldSimple>"
        f"<w:sdt><w:sdtContent>{run.format('c')}</w:sdtContent></w:sdt></w:p>"
        "</w:sdtContent></w:sdt>"
    )
    assert text(body) == "abc"


def test_a_text_box_is_read_once_and_after_its_paragraph() -> None:
    box = f"<w:txbxContent>{paragraph('box', 'Heading2')}</w:txbxContent>"
    body = (
        '<w:p xmlns:m="m"><w:r><m:AlternateContent>'
        f"<m:Choice><w:drawing>{box}</w:drawing></m:Choice>"
        f"<m:Fallback><w:pict>{box}</w:pict></m:Fallback>"
        "</m:AlternateContent></w:r><w:r><w:t>line</w:t></w:r></w:p>"
    )
    assert text(body) == "line\n\n## box"


def test_pictures_say_what_they_show() -> None:
    picture = (
        '<w:drawing><w:docPr id="1" name="Picture 1" descr="A newt&#10;in water"/></w:drawing>'
    )
    assert text(f"<w:p><w:r><w:t>See:</w:t>{picture}</w:r></w:p>") == "See:\n\nA newt in water"


def test_notes_and_comments_follow_their_paragraph() -> None:
    body = (
        '<w:p><w:r><w:t>Newts</w:t><w:footnoteReference w:id="2"/><w:commentReference w:id="2"/>'
        '<w:endnoteReference w:id="7"/></w:r></w:p>'
    ) + paragraph("Next.")
    assert text(
        body,
        footnotes=note("footnote", 1, "never") + note("footnote", 2, "Small ones."),
        endnotes=note("endnote", 7, "See there."),
        comments=note("comment", 2, "Really?", 'w:author="Bo"'),
    ) == "Newts\n\n> Small ones.\n\n> Comment by Bo: Really?\n\n> See there.\n\nNext."  # fmt: skip


def test_a_note_is_read_once_however_often_it_is_referred_to() -> None:
    reference = '<w:r><w:footnoteReference w:id="1"/></w:r>'
    body = f"<w:p><w:r><w:t>a</w:t></w:r>{reference * 3}</w:p>"
    itself = f'<w:footnote w:id="1"><w:p>{reference}<w:r><w:t>b</w:t></w:r></w:p></w:footnote>'
    assert text(body, footnotes=itself) == "a\n\n> b"


def test_cells_hold_anything_and_are_one_line_each() -> None:
    inner = table([cell("1"), cell("2|3")])
    rows = table(
        [f"<w:tc>{paragraph('a')}{paragraph('b')}</w:tc>", cell("x|y")],
        [f"<w:tc>{inner}</w:tc>", cell("")],
        [cell(""), cell("")],
    )
    assert text(rows) == "| a b | x\\|y |\n| --- | --- |\n| 1 2\\|3 |  |"


def test_tables_are_read_as_deep_as_they_may_be() -> None:
    inner = cell("a")
    for _ in range((DEEPEST - 8) // 3):
        inner = f"<w:tc>{table([inner, cell('')])}</w:tc>"
    assert text(table([inner])) == "a"


def test_merged_cells_keep_the_columns_in_line() -> None:
    wide = f'<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>{paragraph("a")}</w:tc>'
    rows = table([wide, cell("b")], [cell("1"), cell("2"), cell("3")])
    assert text(rows) == "| a |  | b |\n| --- | --- | --- |\n| 1 | 2 | 3 |"


def test_a_table_of_one_column_is_a_frame_around_its_blocks() -> None:
    frame = f"<w:tc>{paragraph('a', 'Heading1')}{paragraph('b')}</w:tc>"
    assert text(table([frame], [cell("c")])) == "# a\n\nb\n\nc"


def test_formulas_are_written_in_the_line() -> None:
    formula = '<m:oMathPara xmlns:m="m"><m:oMath><m:r><m:t>x+1</m:t></m:r></m:oMath></m:oMathPara>'
    assert text(f"<w:p><w:r><w:t>is </w:t></w:r>{formula}</w:p>") == "is x+1"


def test_a_document_without_styles_and_properties_is_read() -> None:
    document = f'<w:document xmlns:w="w"><w:body>{paragraph("a", "Heading1")}</w:body></w:document>'
    assert read("docx", zipped({"word/document.xml": document})).text == "a"


def test_a_package_without_a_document_is_damaged() -> None:
    with pytest.raises(Unreadable, match="is damaged"):
        read("docx", office("word/document.xml", {}))
