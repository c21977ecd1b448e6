from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import Unreadable
from rag.ingest.formats.block import Block, Kind, Reading, cells
from rag.ingest.formats.compose import compose
from rag.ingest.wholes import wholes
from rag.model import Mark, Parsed, Span


def composed(*blocks: Block, title: str = "") -> Parsed:
    return compose(Reading(blocks, title))


def test_each_kind_is_written_as_markdown_writes_it() -> None:
    parsed = composed(
        Block("heading", "Newts", level=2),
        Block("paragraph", "Small\nsalamanders."),
        Block("item", "wet\nand cold"),
        Block("item", "quick", level=1),
        Block("quote", "Who\nknows?"),
        Block("code", "a = 1"),
        Block("header", cells(["Animal", "Grams|week"])),
        Block("row", cells(["Adult", "9\n10"])),
    )
    assert parsed.text == (
        "## Newts\n\nSmall\nsalamanders.\n\n- wet\n  and cold\n  - quick\n\n> Who\n> knows?\n\n"
        "```\na = 1\n```\n\n| Animal | Grams\\|week |\n| --- | --- |\n| Adult | 9 10 |"
    )


def test_a_number_stands_for_the_dash_or_behind_it_so_that_every_item_is_seen_as_one() -> None:
    numbers = ["3.", "12)", "b)", "iv.", "4.2", "(a)", "Step 1:", ""]
    parsed = composed(*(Block("item", "x\ny", number=number) for number in numbers))
    signs = ["3.", "12)", "b)", "- iv.", "- 4.2", "- (a)", "- Step 1:", "-"]
    items = [parsed.text[start:end].rstrip() for start, end in wholes(parsed.text)]
    assert items == [f"{sign} x\n  y" for sign in signs]


def test_a_heading_has_its_number_in_the_path_too() -> None:
    parsed = composed(Block("heading", "Feeding", 1, number="4.2"), Block("paragraph", "x"))
    assert parsed.text == "# 4.2 Feeding\n\nx"
    assert parsed.marks[0].section == ("4.2 Feeding",)
    assert parsed.title == "4.2 Feeding"


def test_a_fence_is_longer_than_any_inside() -> None:
    assert composed(Block("code", "````\nx\n````")).text == "`````\n````\nx\n````\n`````"


def test_verbatim_text_stays_as_it_is() -> None:
    pieces = ["\n\n  # One\r\n", "text\n", "\n# Two"]
    parsed = composed(*(Block("verbatim", piece) for piece in pieces))
    assert parsed.text == "".join(pieces)


def test_sections_follow_the_headings() -> None:
    parsed = composed(
        Block("paragraph", "before"),
        Block("heading", "A", level=1),
        Block("heading", "B", level=3),
        Block("paragraph", "in B"),
        Block("heading", "C", level=2),
        Block("heading", "D", level=1),
    )
    assert [(parsed.text[mark.start :][:5], mark.section) for mark in parsed.marks] == [
        ("befor", ()),
        ("# A\n\n", ("A",)),
        ("### B", ("A", "B")),
        ("## C\n", ("A", "C")),
        ("# D", ("D",)),
    ]


def test_a_section_that_is_known_otherwise_wins() -> None:
    parsed = composed(Block("heading", "A", level=1), Block("paragraph", "x", section=("B", "C")))
    assert parsed.marks[1] == Mark(5, section=("B", "C"))


def test_a_paragraph_goes_on_over_the_end_of_a_page() -> None:
    parsed = composed(
        Block("paragraph", "It goes", page=1), Block("paragraph", "on.", page=2, continues=True)
    )
    assert parsed.text == "It goes on."
    assert parsed.marks == (Mark(0, 1), Mark(8, 2))


def test_a_heading_that_shows_nothing_is_none() -> None:
    parsed = composed(Block("heading", "\x01", 1), Block("paragraph", "Text."))
    assert (parsed.text, parsed.marks) == ("Text.", (Mark(0),))


def test_rows_know_their_header() -> None:
    parsed = composed(
        Block("paragraph", "Food:"),
        Block("header", "| a | b |"),
        Block("row", "| 1 | 2 |"),
        Block("row", "| 3 | 4 |"),
        Block("paragraph", "Done."),
    )
    assert [mark.header for mark in parsed.marks] == [None, Span(7, 16), None]
    assert parsed.text[7:16] == "| a | b |"


@pytest.mark.parametrize(
    ("title", "expected"), [("Its  own\n", "Its own"), ("  ", "First"), ("\0", "First")]
)
def test_the_title_is_the_files_own_or_else_the_first_heading(title: str, expected: str) -> None:
    parsed = composed(
        Block("heading", "Second", level=2),
        Block("heading", "First", level=1),
        Block("heading", "Another", level=1),
        title=title,
    )
    assert parsed.title == expected


@pytest.mark.parametrize("text", ["", " \n", "\0"])
@pytest.mark.parametrize("kind", ["paragraph", "heading", "item", "code", "verbatim"])
def test_a_file_without_text_is_unreadable(kind: Kind, text: str) -> None:
    with pytest.raises(Unreadable, match="has no text"):
        composed(Block(kind, text))


KINDS = st.sampled_from(["heading", "paragraph", "item", "quote", "code", "row", "verbatim"])


@given(st.lists(st.tuples(KINDS, st.text(), st.integers(1, 6)), min_size=1))
def test_any_text_can_be_stored_and_is_marked_from_its_beginning(
    told: list[tuple[Kind, str, int]],
) -> None:
    try:
        parsed = composed(*(Block(kind, f"{text}\ud800\0x", level) for kind, text, level in told))
    except Unreadable:
        return
    parsed.text.encode()
    assert "\0" not in parsed.text
    starts = [mark.start for mark in parsed.marks]
    assert starts[0] == 0
    assert starts == sorted(set(starts))
    assert starts[-1] < len(parsed.text)
