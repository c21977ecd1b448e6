from __future__ import annotations

import pytest

from rag.ingest.formats.layout.line import Bookmark, Line
from tests.unit.ingest.formats.layout.made import LONG, blocks, line, stacked, table, texts


def test_lines_below_each_other_are_a_paragraph() -> None:
    assert texts(stacked([LONG, LONG, "and its end."])) == [
        ("paragraph", f"{LONG} {LONG} and its end.")
    ]


@pytest.mark.parametrize(
    "second",
    [
        line("After a gap", base=650),
        line("In small letters", base=686, size=7),
        line("After an indent", left=65, base=686),
        line("2. With a number", base=686),
    ],
)
def test_a_paragraph_begins(second: Line) -> None:
    lines = [*stacked([LONG, LONG, "It ended here."], top=728)]
    assert texts([*lines, second])[-1] == ("paragraph", second.text)


@pytest.mark.parametrize(
    "second", [line("12. of May", left=65, base=700), line("with an indent", left=65, base=700)]
)
def test_a_sentence_that_has_not_ended_goes_on(second: Line) -> None:
    assert len(texts([*stacked([LONG, LONG], top=728), second])) == 1


def test_items_have_bullets_and_end_where_the_text_is_at_the_edge_again() -> None:
    lines = [
        line("Take these:", base=714),
        line("• the first, which is long", left=60),
        line("and goes on.", left=72, base=686),
        line("• the second.", left=60, base=672),
        line("Then mix.", base=658),
    ]
    assert texts(lines) == [
        ("paragraph", "Take these:"),
        ("item", "the first, which is long and goes on."),
        ("item", "the second."),
        ("paragraph", "Then mix."),
    ]


def test_headings_are_larger_and_may_take_two_lines() -> None:
    found = blocks(
        [
            line("A title that is", size=20, base=760),
            line("rather long", size=20, base=736),
            line("A part of it", size=14, base=714),
            line(LONG),
        ]
    )
    assert [(block.kind, block.level) for block in found] == [
        ("heading", 1),
        ("heading", 2),
        ("paragraph", 0),
    ]
    assert found[0].text == "A title that is rather long"


def test_sentences_in_large_letters_are_no_headings() -> None:
    large = ["In large letters this goes", "on and on, over lines", "and lines, until", "it ends."]
    lines = [line(text, size=14, base=790 - 30 * n) for n, text in enumerate(large)]
    assert texts([*lines, *stacked([LONG] * 5, top=660)])[0] == ("paragraph", " ".join(large))


def test_titles_of_the_outline_are_headings_whatever_their_size() -> None:
    bookmarks = [Bookmark("Care", 1, 1), Bookmark("Food", 2, 1)]
    found = blocks(stacked(["Care", LONG, "Food", LONG]), bookmarks=bookmarks)
    assert [(block.kind, block.level, block.section) for block in found] == [
        ("heading", 1, ("Care",)),
        ("paragraph", 0, ("Care",)),
        ("heading", 2, ("Care", "Food")),
        ("paragraph", 0, ("Care", "Food")),
    ]


def test_entries_of_a_table_of_contents_stay_apart() -> None:
    lines = [*stacked(["Housing … 2", "Feeding … 3"]), line("A title … 4", size=14, base=672)]
    assert [kind for kind, _ in texts([*lines, *stacked([LONG, LONG], top=640)])] == [
        "paragraph",
        "paragraph",
        "paragraph",
        "paragraph",
    ]


def test_a_row_whose_cells_are_near_is_of_the_table_before_it() -> None:
    lines = [*table(("Newt", "5"), ("Olm", "7")), line("Fire salamander         9", base=672)]
    assert texts(lines)[-1] == ("row", "| Fire salamander | 9 |")


def test_a_numbered_line_after_its_section_is_a_heading() -> None:
    lines = [
        line("3 Food", size=14, base=760),
        *stacked([LONG, LONG], top=740),
        line("3.1 Worms", base=700),
        *stacked([LONG, LONG], top=676),
        line("4.1 Snails", base=630),
    ]
    assert [(block.kind, block.level) for block in blocks(lines)] == [
        ("heading", 1),
        ("paragraph", 0),
        ("heading", 2),
        ("paragraph", 0),
        ("paragraph", 0),
    ]


def test_two_tables_that_are_apart_are_two() -> None:
    lines = [*table(("Animal", "Food"), ("Newt", "Worms")), *table(("A", "B"), ("C", "D"), top=500)]
    assert [block.kind for block in blocks(lines)] == ["header", "row", "header", "row"]
