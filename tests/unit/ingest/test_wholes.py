"""List items and fenced code: where they begin and end, and that no cut goes through them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rag import tokens
from rag.ingest.chunk import windows
from rag.ingest.wholes import wholes


def of(text: str) -> list[str]:
    return [text[span.start : span.end] for span in wholes(text)]


def test_an_item_goes_on_until_something_else_begins() -> None:
    text = (
        "Intro.\n- one\n  goes on\n* two\n  1. below\n\nEnd.\n12) twelve\n"
        "b) letter\n# Heading\n• dot\n| a |"
    )
    assert of(text) == [
        "- one\n  goes on\n",
        "* two\n",
        "  1. below\n",
        "12) twelve\n",
        "b) letter\n",
        "• dot\n",
    ]


def test_code_is_whole_with_its_fences_and_whatever_is_between() -> None:
    text = "```py\n# no heading\n\n- no item\n``\n```\n- item\n~~~~\n```\n~~~\n~~~~\nend"
    assert of(text) == [
        "```py\n# no heading\n\n- no item\n``\n```\n",
        "- item\n",
        "~~~~\n```\n~~~\n~~~~\n",
    ]


def test_a_fence_that_is_never_closed_goes_on_to_the_end() -> None:
    assert of("a\n```\nb\n\nc") == ["```\nb\n\nc"]


def test_what_only_looks_like_an_item_is_none() -> None:
    assert of("-no\n1.5 is a number\n**bold**\n---\nplain") == []


LINES = st.sampled_from(
    ["- " + "newt " * 5, "Newts swim. " * 3, "  goes on", "", "```", "x = 1", "# Pond", "1. eft"]
)


@given(st.lists(LINES, max_size=60).map("\n".join), st.integers(16, 64), st.integers(0, 12))
def test_no_cut_goes_through_what_fits(text: str, size: int, overlap: int) -> None:
    cuts = {place for chunk in windows(text, size, overlap) for place in (chunk.start, chunk.end)}
    for start, end in wholes(text):
        if tokens.count(text[start:end]) <= size:
            assert not [cut for cut in cuts if start < cut < end]


def test_a_heading_goes_with_the_list_that_it_heads() -> None:
    section = "## Newts\n\n" + "".join(f"- newt number {n} swims\n" for n in range(6))
    chunks = windows((section + "\n") * 5, 60, 0)
    assert [chunk.text.strip() for chunk in chunks] == [section.strip()] * 5
