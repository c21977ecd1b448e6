from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.ingest.formats import read
from rag.ingest.formats.compose import LONGEST_HEADING
from rag.ingest.formats.markdown import MOST_TURNS, marks


def sections(text: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(text[mark.start :].split("\n")[0], mark.section) for mark in marks(text)]


def test_the_text_stays_letter_for_letter() -> None:
    text = "\n  intro\n# One\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\nTwo\n---\n```\n# no\n```\n# "
    parsed = read("markdown", text.encode())
    assert parsed.text == text
    assert parsed.title == "One"


def test_sections_follow_headings_of_both_ways() -> None:
    text = "before\n# A\nx\n### B ###\nC\n-\n> q\n---\n- i\n---\nD\n=====\n#E\n# \n##\n# F#"
    assert sections(text) == [
        ("before", ()),
        ("# A", ("A",)),
        ("### B ###", ("A", "B")),
        ("C", ("A", "C")),
        ("D", ("D",)),
        ("# F#", ("F#",)),
    ]


@pytest.mark.parametrize(
    "code",
    [
        "```\n# no\n```",
        "~~~~ python\n# no\n```\n~~~\n# no\n~~~~~",
        "  ```sh\n# no\n   ```   ",
        "    # no",
        "```\n# no, and it never ends",
    ],
)
def test_code_has_no_headings(code: str) -> None:
    assert [section for _, section in sections(f"# A\n{code}")] == [("A",)]


def test_code_in_a_line_opens_no_fence() -> None:
    assert sections("```x``` y\n# A")[-1] == ("# A", ("A",))


def test_rows_know_their_header() -> None:
    text = "# A\n\n| a | b |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |\n\nx\n\nc|d\n-|-\n5|6\nend\n|\n|-|"
    found = [
        (text[mark.start :].split("\n")[0], mark.header and text[slice(*mark.header)])
        for mark in marks(text)
    ]
    assert found == [
        ("# A", None),
        ("| 1 | 2 |", "| a | b |"),
        ("", None),
        ("5|6", "c|d"),
        ("end", None),
    ]


def test_front_matter_is_no_text_but_properties() -> None:
    parsed = read(
        "markdown",
        b"---\r\nTitle: 'All: about newts'\r\nauthor: Ada Brook\r\ndate: 2024-05-17\r\n"
        b'tags:\r\n  - pets\r\n  - "wet"\r\n# remark\r\nlayout: post\r\nsummary: >\r\n  How to'
        b" keep\r\n  them\r\nlang: en\r\nlastmod:\r\n---\r\n\r\n# Newts\r\n",
    )
    assert parsed.text == "# Newts\n"
    assert parsed.title == "All: about newts"
    assert parsed.properties == {
        "author": "Ada Brook",
        "created": "2024-05-17",
        "keywords": "pets, wet",
        "description": "How to keep them",
        "language": "en",
    }


def test_a_list_in_brackets_is_a_list() -> None:
    parsed = read("markdown", b"---\nkeywords: [newts, 'cold water']\ntags: no\n...\nx")
    assert parsed.properties == {"keywords": "newts, cold water"}


@pytest.mark.parametrize(
    "text",
    [
        "---\nSome prose.\n---\nMore.",
        "---\ntitle: never closed\n",
        "---\n---\nx",
        "----\ntitle: x\n---\n",
        "\n---\ntitle: x\n---\n",
        "--- x\ntitle: x\n---\n",
    ],
)
def test_dashes_around_anything_else_are_no_front_matter(text: str) -> None:
    assert read("markdown", text.encode()).text == text


def test_a_text_that_was_sent_keeps_its_front_matter_and_its_sections() -> None:
    assert sections("---\ntitle: x\n---\n\n# A") == [("---", ()), ("# A", ("A",))]


def test_a_heading_without_end_does_not_go_into_every_chunk() -> None:
    (mark,) = marks("# " + "n" * 5000)
    assert mark.section == ("n" * LONGEST_HEADING,)


def test_headings_without_end_do_not_fill_the_memory() -> None:
    assert len(marks("# a\n" * (MOST_TURNS + 9))) == MOST_TURNS


def test_a_text_of_nothing_has_no_marks() -> None:
    assert marks("") == ()


@pytest.mark.parametrize(
    "piece", ["# ", " ", "#", "\t", "|-", "|:-: ", "- ", "`", "---", ": ", "a: "]
)
def test_a_line_without_end_is_read_like_any_other(piece: str) -> None:
    """One that took quadratic time would take days for these."""
    for text in (
        "# x" + piece * 1_000_000 + "x",
        "---\na" + piece * 1_000_000,
        "|\n" + piece * 1_000_000,
    ):
        assert marks(text)[0].start == 0


@given(st.text("#=-|`~> \n\rab:", max_size=200))
def test_marks_ascend_from_the_beginning_of_any_text(text: str) -> None:
    starts = [mark.start for mark in marks(text)]
    assert starts == sorted(set(starts))
    assert not starts or starts[0] == 0
    assert all(start < len(text) for start in starts)
    headers = [mark.header for mark in marks(text) if mark.header]
    assert all("|" in text[slice(*header)] for header in headers)
