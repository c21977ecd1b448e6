from __future__ import annotations

import pytest

from rag.ingest.formats.layout.line import (
    Word,
    is_right_to_left,
    lines,
    rows,
    usual_size,
    without_shadows,
)
from tests.unit.ingest.formats.layout.made import line


def word(text: str, left: float, base: float = 700, size: float = 10) -> Word:
    return Word(text, left, base, left + 0.5 * size * len(text), size)


def test_words_beside_each_other_are_a_line() -> None:
    (made,) = lines([word("One", 50), word("line", 68)])
    assert (made.text, made.left, made.base, made.right, made.words) == ("One line", 50, 700, 88, 2)


@pytest.mark.parametrize("other", [word("far", 90), word("below", 68, 690)])
def test_words_that_are_far_apart_are_not(other: Word) -> None:
    assert [made.text for made in lines([word("One", 50), other])] == ["One", other.text]


def test_words_from_the_right_to_the_left_are_a_line_too() -> None:
    (made,) = lines([word("שלום", 100), word("עולם", 77)])
    assert made.text == "שלום עולם"
    assert is_right_to_left([made.text])
    assert not is_right_to_left(["mostly Latin, and שלום"])


def test_a_line_is_as_large_as_its_longest_word() -> None:
    (made,) = lines([word("1", 50, 703, 6), word("Footnotes", 54)])
    assert made.size == 10


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("ﬁnd", "find"),
        ("co\u00adop", "coop"),
        ("con\ufffe", "con-"),
        ("con\u00ad", "con-"),
        ("Newts.......12", "Newts … 12"),
    ],
)
def test_signs_are_what_they_look_like(text: str, seen: str) -> None:
    (made,) = lines([word(text, 50)])
    assert made.text == seen


def test_what_cannot_be_seen_is_no_line() -> None:
    assert list(lines([word("\x02\x02", 50)])) == []


@pytest.mark.parametrize(("text", "is_cut"), [("con-", True), ("a dash -", False), ("end", False)])
def test_a_hyphen_cuts_a_word(text: str, is_cut: bool) -> None:
    assert line(text).is_cut is is_cut


def test_a_line_that_is_drawn_twice_is_read_once() -> None:
    bold, shadow, later = line("Bold"), line("Bold", left=50.5, base=699), line("Bold", base=600)
    assert list(without_shadows([bold, shadow, later])) == [bold, later]


def test_rows_go_down_the_page_and_each_to_the_right() -> None:
    low, right, left = line("low", base=600), line("right", left=300), line("left", base=702)
    assert rows([low, right, left]) == [[left, right], [low]]


def test_a_raised_sign_is_on_the_row_of_its_word() -> None:
    sign, words, below = line("1", base=704, size=7, left=90), line("A. Newt"), line("B", base=692)
    assert rows([sign, words, below]) == [[words, sign], [below]]


def test_the_usual_size_is_that_of_most_words() -> None:
    assert usual_size([line("A heading", size=20), line("and so many words of text")]) == 10
