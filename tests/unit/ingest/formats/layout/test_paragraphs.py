from __future__ import annotations

from collections.abc import Sequence

import pytest

from rag.ingest.formats import layout
from rag.ingest.formats.block import Block
from rag.ingest.formats.layout.line import Bookmark, Line
from tests.unit.ingest.formats.layout.made import line, page, stacked

LONG = "words of a line that reaches the other edge of its page"


def blocks(*pages: Sequence[Line], bookmarks: Sequence[Bookmark] = ()) -> list[Block]:
    return layout.blocks([page(lines, n) for n, lines in enumerate(pages, 1)], bookmarks)


def texts(*pages: Sequence[Line]) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in blocks(*pages)]


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


def table(*rows: Sequence[str], top: float = 700) -> list[Line]:
    return [
        line(cell, left=50 + 120 * column, base=top - 14 * row)
        for row, values in enumerate(rows)
        for column, cell in enumerate(values)
    ]


def test_the_first_row_of_a_table_is_its_header_if_it_has_no_figures() -> None:
    headed = table(("Animal", "Food"), ("Newt", "Worms"), ("Olm", "Snails"))
    assert [kind for kind, _ in texts(headed)] == ["header", "row", "row"]
    bare = table(("Newt", "5"), ("Olm", "7"))
    assert texts(bare) == [("row", "| Newt | 5 |"), ("row", "| Olm | 7 |")]


def test_a_table_goes_on_over_a_page() -> None:
    first = table(("Animal", "Food", "Day"), ("Newt", "Worms", "1"))
    second = [*table(("Olm", "Snails", "2"), top=780), *stacked([LONG])]
    assert [kind for kind, _ in texts(first, second)] == ["header", "row", "row", "paragraph"]


def test_a_sentence_goes_on_over_a_page() -> None:
    found = blocks(stacked([LONG, "and then"]), stacked(["it went on.", LONG]))
    assert [(block.page, block.continues) for block in found] == [(1, False), (2, True)]
    others = blocks(stacked([LONG, "It ended."]), stacked(["and a new one.", LONG]))
    assert [block.continues for block in others] == [False, False]


def test_a_word_that_a_page_or_a_figure_parts_is_made_whole() -> None:
    first = stacked([LONG, "It was con-"])
    caption = line("Figure 1", size=7, base=750)
    assert texts(first, [caption, *stacked(["firmed by all.", LONG])]) == [
        ("paragraph", f"{LONG} It was confirmed"),
        ("paragraph", "Figure 1"),
        ("paragraph", f"by all. {LONG}"),
    ]
