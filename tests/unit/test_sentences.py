"""Sentences: where they end, where they do not, and that they cover the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.sentences import LONGEST_REMEMBERED, headings, is_question, sentences


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    "marked",
    [
        "One. |Two! |Three? |Four… |Five",
        "Dr. Smith met Mrs. Jones. |They spoke.",
        "Use a sieve, e.g. Eratosthenes', i.e. the old one. |It works.",
        "The U.S. Congress met. |It rained.",
        "He lives in the U.S. |The law is clear.",
        "J. K. Rowling and George W. Bush met. |Nobody knows why.",
        "See Fig. 3 and Eq. 4. |No. 5 is alive.",
        "She said no. |Then she left.",
        "Pi is 3.14159. |Version 2.3.1 is at example.com. |Get it.",
        "At 5 p.m. Monday it closed. |We left at 6 p.m. |The end.",
        "Apple Inc. CEO Tim Cook spoke. |Everyone listened.",
        "Smith et al. (2019) and Doe et al. 2020 agree.[3] |Others do not.",
        "Wait... what? |Well... |Nothing.",
        '"Really?" she asked. |"Yes." |Then he left.',
        "He said “Stop.” |She did. |(So it goes.) |The end.",
        "**Bold end.** |Plain begins.",
        "Roe v. Wade was decided. |It stands no more.",
        "In 1999. |The next year was 2000.",
        "Am 3. Oktober 1990 war es z. B. kalt. |Im 19. Jahrhundert bzw. später nicht.",
        "「はい。」と彼は言った。|次の文です！|本当？|３．１４です。",
        "¿Qué? |Sí. |Это т.е. так. |Да.",
        "यह है। |दूसरा।",
    ],
)
def test_a_sentence_ends_where_a_reader_would_end_it(marked: str) -> None:
    assert split(marked.replace("|", "")) == marked.split("|")


def test_a_blank_line_ends_a_sentence_and_a_single_newline_does_not() -> None:
    text = "no stop here\nand on\n\nnext paragraph\r\n\r\nlast\n \t\n"
    assert split(text) == ["no stop here\nand on\n\n", "next paragraph\r\n\r\n", "last\n \t\n"]


def test_headings_items_rows_and_underlined_titles_stand_alone() -> None:
    lines = [
        "# A heading. With a dot\n",
        "Some text\nthat goes on. ",
        "And more.\n",
        "- item one. ",
        "Its second sentence.\n",
        "- item two\n  continued\n",
        "1. First\n",
        "2. Second\n\n",
        "Title\n=====\n",
        "Below it.\n",
        "> a quotation\n",
        "| a | b. C |\n",
        "|---|------|\n",
        "| 1 | 2 |\n",
        "The end.",
    ]
    assert split("".join(lines)) == lines


def test_fenced_code_is_cut_at_line_ends_only() -> None:
    lines = [
        "Run this. ",
        "Now:\n",
        "```sh\n",
        "echo a. B! C\n\n",
        "# x\n",
        "```\n",
        "Done. ",
        "Bye.",
    ]
    assert split("".join(lines)) == lines


def test_an_open_fence_runs_to_the_end() -> None:
    assert split("~~~\na. B\n```\nc. D") == ["~~~\n", "a. B\n", "```\n", "c. D"]


def test_an_empty_text_has_no_sentence() -> None:
    assert sentences("") == []


def test_leading_white_space_belongs_to_the_first_sentence() -> None:
    assert split("\n\n  One. Two.") == ["\n\n  One. ", "Two."]


pieces = st.sampled_from(
    'Word ·word ·. ·! ·\n·\r\n·\n\n·# ·- ·1. ·```·~~~·|·"·。·」·…·e.g. ·\u2029·\f·\0·😀·e\u0301·א·'
    "<|endoftext|>·---·===".split("·")
)


@given(st.lists(st.one_of(pieces, st.text(max_size=8)), max_size=60).map("".join))
def test_sentences_cover_any_text_without_a_gap(text: str) -> None:
    spans = sentences(text)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(start < end for start, end in spans)
    assert [end for _, end in spans[:-1]] == [start for start, _ in spans[1:]]


@given(st.lists(pieces, max_size=60).map("".join))
def test_no_sentence_but_the_first_begins_with_white_space(text: str) -> None:
    indent = " \t"  # an indented line keeps its indent
    for start, _ in sentences(text)[1:]:
        assert not text[start].isspace() or text[start] in indent


@pytest.mark.parametrize(
    "text", ["Why?", "**Is it free?**", "“Who is there?”\n", "何ですか？", "ماذا؟"]
)
def test_what_ends_with_a_question_mark_asks(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize("text", ["Because.", "It asks “why?” of all.", "a ? b : c", ""])
def test_a_question_mark_elsewhere_asks_nothing(text: str) -> None:
    assert not is_question(text)


def heads(text: str) -> dict[str, str]:
    spans = sentences(text)
    told = [text[span.start : span.end].strip() for span in spans]
    return {one: told[head] for one, head in zip(told, headings(text, spans), strict=True)}


def test_a_heading_heads_what_follows_to_the_next() -> None:
    text = "Before.\n\n# One\n\nA. B.\n\n## Two\n\nC."
    assert heads(text) == {
        "Before.": "Before.",
        "# One": "# One",
        "A. B.": "# One",
        "## Two": "## Two",
        "C.": "## Two",
    }


def test_a_question_on_its_own_line_heads_all_of_its_answer() -> None:
    text = "# FAQ\n\n**Is it free?**\nYes, it is.\n\nFor ever.\n\nQ: Who pays?\nNobody does."
    found = heads(text)
    assert found["Yes, it is."] == found["For ever."] == "**Is it free?**"
    assert found["Nobody does."] == "Q: Who pays?"


def test_a_question_inside_a_paragraph_heads_the_rest_of_it() -> None:
    text = "# Tides\n\nThe sea rises. But why does it? The moon pulls.\n\nBoats leave at dawn."
    found = heads(text)
    assert found["The sea rises."] == "# Tides"
    assert found["The moon pulls."] == "But why does it?"
    assert found["Boats leave at dawn."] == "# Tides"


def test_a_long_text_has_the_sentences_that_its_parts_have() -> None:
    part = "Dr. Smith met Mrs. Jones. They spoke.\n\n"
    many = LONGEST_REMEMBERED // len(part) + 1
    assert split(part * many) == split(part) * many


def test_nobody_changes_what_is_remembered_of_a_text() -> None:
    sentences("One. Two.").clear()
    assert split("One. Two.") == ["One. ", "Two."]
