from __future__ import annotations

from tests.unit.ingest.formats.layout.made import LONG, blocks, line, stacked, table, texts


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
