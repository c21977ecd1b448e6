from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from rag.errors import Unreadable
from rag.ingest.formats import read
from rag.model import Parsed
from tests.writers.ooxml import part
from tests.writers.pptx import frame, package, shape, slide, table, write
from tests.writers.story import STORY, Story


def text(
    *shapes: str,
    parts: Mapping[str, str] | None = None,
    of_slide: Sequence[tuple[str, str]] = (),
    of_all: Sequence[tuple[str, str]] = (),
) -> str:
    """The text of one slide of the title T, less that."""
    slides = [slide(shape("T", fills="title"), *shapes)]
    written = package(slides, parts=parts, of_slide=of_slide, of_all=of_all)
    return read("pptx", written).text.removeprefix("## T").strip()


def at(parsed: Parsed, words: str) -> tuple[int | None, tuple[str, ...]]:
    """The page and the section in which these words are."""
    mark = [mark for mark in parsed.marks if mark.start <= parsed.text.index(words)][-1]
    return mark.page, mark.section


def test_a_story_is_read_slide_by_slide() -> None:
    parsed = read("pptx", write(STORY))
    assert at(parsed, "Newts are small") == (1, ("The keeping of newts",))
    assert at(parsed, "Rinse the gravel") == (2, ("Housing",))
    assert at(parsed, "| Larva | Daphnia | 2 |") == (3, ("Feeding",))
    assert at(parsed, "Café owners") == (5, ("Records",))
    assert "\n- Rinse the gravel until the water runs clear.\n- Fill" in parsed.text
    assert "| Animal | Food | Grams per week |\n| --- | --- | --- |\n| Larva" in parsed.text
    assert parsed.title == STORY.title
    assert parsed.properties["author"] == "Ada Brook"


def test_slides_are_in_the_order_in_which_they_are_shown() -> None:
    swapped = part(
        "p:presentation",
        '<p:sldIdLst><p:sldId id="1" r:id="rId3"/><p:sldId id="2" r:id="gone"/>'
        '<p:sldId id="3" r:id="rId1"/></p:sldIdLst>',
    )
    written = package(
        [slide(shape("first")), slide(shape("second")), slide(shape("third"))],
        parts={"ppt/presentation.xml": swapped},
    )
    parsed = read("pptx", written)
    assert parsed.text == "## Slide 1\n\nthird\n\n## Slide 3\n\nfirst"
    assert [mark.page for mark in parsed.marks] == [1, 3]


def test_a_slide_without_a_title_has_its_number() -> None:
    shapes = shape("A", fills="ctrTitle"), shape("a")
    parsed = read("pptx", package([slide(*shapes), slide(shape("b")), slide()]))
    assert parsed.text == "## A\n\na\n\n## Slide 2\n\nb"


def test_the_number_of_a_slide_is_no_title_of_the_file() -> None:
    assert read("pptx", package([slide(shape("a"))])).title == ""


def test_slides_without_any_text_have_none() -> None:
    with pytest.raises(Unreadable, match="has no text"):
        read("pptx", package([slide(), slide(shape(""))]))


@pytest.mark.parametrize("title", ["PowerPoint Presentation", "PowerPoint-Präsentation"])
def test_a_title_that_nobody_gave_is_none(title: str) -> None:
    slides = [slide(shape("a")), slide(shape("The newt", fills="title"))]
    assert read("pptx", package(slides, Story(title, "", "", ()))).title == "The newt"


@pytest.mark.parametrize("repeated", ["dt", "ftr", "sldNum"])
def test_what_is_on_every_slide_is_left_out(repeated: str) -> None:
    assert text(shape("7", fills=repeated), shape("a")) == "a"


def test_lists_are_told_by_their_place_or_their_bullets() -> None:
    assert text(shape("a", "b", fills="body")) == "- a\n- b"
    assert text(shape("a", "b", fills="body", says="<a:buNone/>")) == "a\n\nb"
    assert text(shape("a", fills="body")) == "a"
    assert text(shape("a", "b", fills="subTitle")) == "a\n\nb"
    assert text(shape("a", "b")) == "a\n\nb"
    assert text(shape("a", "b", says='<a:buChar char="•"/>')) == "- a\n- b"


def numbered(kind: str, *texts: str, level: int = 0, start: str = "") -> str:
    """Paragraphs that are numbered by themselves."""
    return "".join(
        f'<a:p><a:pPr lvl="{level}"><a:buAutoNum type="{kind}" {start}/></a:pPr>'
        f"<a:r><a:t>{text}</a:t></a:r></a:p>"
        for text in texts
    )


def body(*paragraphs: str) -> str:
    return shape(fills="body").replace("</p:txBody>", f"{''.join(paragraphs)}</p:txBody>")


def test_numbers_are_counted_by_levels() -> None:
    plain = "<a:p><a:r><a:t>x</a:t></a:r></a:p>"
    letters = numbered("alphaLcParenR", "b", "", "c", level=1)
    ten = numbered("arabicPeriod", "g", "h", start='startAt="10"')
    first = numbered("arabicPeriod", "a")
    assert text(body(first, letters, numbered("arabicPeriod", "d"), plain, first, ten)) == (
        "1. a\n  a) b\n  b) c\n2. d\n- x\n1. a\n10. g\n11. h"
    )


@pytest.mark.parametrize(
    ("kind", "sign"),
    [
        ("romanUcPeriod", "- II."),
        ("arabicParenBoth", "- (2)"),
        ("alphaUcParenR", "B)"),
        ("arabicPlain", "- 2"),
        ("circleNumDbPlain", "- 2"),
        ("", "- 2"),
    ],
)
def test_numbers_are_in_their_figures(kind: str, sign: str) -> None:
    assert text(body(numbered(kind, "a", "b"))).endswith(f"\n{sign} b")


def test_numbers_that_make_no_sense_are_counted_from_the_first() -> None:
    odd = numbered("arabicPeriod", "a", level=999_999_999, start='startAt="-9999999999"')
    assert text(body(odd, odd)).split() == ["1.", "a", "2.", "a"]


def test_groups_and_choices_are_opened_and_hidden_shapes_are_not() -> None:
    shapes = (
        f'<p:grpSp><p:grpSp>{shape("a")}</p:grpSp></p:grpSp><m:AlternateContent xmlns:m="m">'
        f"<m:Choice>{shape('b')}</m:Choice><m:Fallback>{shape('c')}</m:Fallback>"
        "</m:AlternateContent>",
        shape("d").replace('name="Shape"', 'name="Shape" hidden="1"'),
    )
    assert text(*shapes) == "a\n\nb"


def test_pictures_say_what_they_show() -> None:
    picture = '<p:pic><p:nvPicPr><p:cNvPr id="4" name="x" descr="A newt"/></p:nvPicPr></p:pic>'
    assert text(picture) == "A newt"


def test_a_table_keeps_its_columns() -> None:
    assert text(table([["a", ""], ["1\n2", "3"]])) == "| a |  |\n| --- | --- |\n| 1 2 | 3 |"


def test_a_chart_is_the_table_behind_it() -> None:
    def points(name: str, *values: str) -> str:
        listed = "".join(f'<pt idx="{at}"><v>{v}</v></pt>' for at, v in enumerate(values) if v)
        return f"<{name}><ref><f>Sheet1!$A$1</f><cache>{listed}</cache></ref></{name}>"

    months = points("cat", "May", "June")
    chart = (
        '<chartSpace><chart><title><tx><rich><p xmlns="a"><r><t>Weights</t></r></p></rich></tx>'
        "</title><plotArea><barChart>"
        f"<ser>{points('tx', 'Larvae')}{months}{points('val', '1', '2')}</ser>"
        f"<ser>{points('tx', 'Adults')}{months}{points('val', '', '9')}</ser>"
        "</barChart><valAx><title><tx><v>g</v></tx></title></valAx></plotArea></chart></chartSpace>"
    )
    found = text(
        frame('<c:chart xmlns:c="c" r:id="rId1"/>'),
        parts={"ppt/charts/chart1.xml": chart},
        of_slide=[("chart", "../charts/chart1.xml")],
    )
    assert found == (
        "Weights\n\n|  | Larvae | Adults |\n| --- | --- | --- |\n| May | 1 |  |\n| June | 2 | 9 |"
    )


def test_a_diagram_is_a_list_of_its_words() -> None:
    diagram = (
        '<dataModel><ptLst><pt><t><p xmlns="a"><r><t>Egg</t></r></p></t></pt>'
        '<pt type="pres"><t>layout</t></pt><pt type="node"><t>Larva</t></pt></ptLst></dataModel>'
    )
    found = text(
        frame('<d:relIds xmlns:d="d" r:dm="rId1" r:lo="rId2"/>'),
        parts={"ppt/diagrams/data1.xml": diagram},
        of_slide=[("diagramData", "../diagrams/data1.xml")],
    )
    assert found == ("- Egg\n- Larva")


def test_notes_and_comments_follow_the_slide() -> None:
    notes = slide(shape("3", fills="sldNum"), shape("Say hello.", "Smile.", fills="body"))
    comments = (
        '<p:cm authorId="7"><p:text>Which newt?</p:text></p:cm>'
        '<p:cm authorId="8"><p:replyLst><p:reply authorId="7"><p:txBody><a:p><a:r>'
        "<a:t>That one.</a:t></a:r></a:p></p:txBody></p:reply></p:replyLst></p:cm>"
    )
    found = text(
        shape("a"),
        parts={
            "ppt/notes.xml": part("p:notes", notes),
            "ppt/comments.xml": part("p:cmLst", comments),
            "ppt/authors.xml": part("p:cmAuthorLst", '<p:cmAuthor id="7" name="Bo"/>'),
        },
        of_slide=[("notesSlide", "../notes.xml"), ("comments", "../comments.xml")],
        of_all=[("commentAuthors", "authors.xml")],
    )
    assert found == (
        "a\n\n> Say hello.\n> Smile.\n\n> Comment by Bo: Which newt?\n\n> Comment by Bo: That one."
    )
