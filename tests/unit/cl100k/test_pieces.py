"""Where a text has long pieces, and what a character is to tiktoken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.cl100k.pieces import CharacterClasses, may_have_long_ones, pieces

EVERY = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))


@pytest.fixture(scope="module")
def classes() -> CharacterClasses:
    return CharacterClasses()


def test_what_python_knows_for_sure_is_the_same_to_tiktoken(classes: CharacterClasses) -> None:
    """Else a long piece could be overlooked."""
    classes.learn(EVERY)
    kinds = EVERY.translate(classes)
    letters = {char for char, kind in zip(EVERY, kinds, strict=True) if kind.isalpha()}
    for char in EVERY:
        if char.isalpha():
            assert char in letters
        elif char.isprintable() or char.isspace():
            assert char not in letters


@given(st.lists(st.tuples(st.characters(codec="utf-8"), st.integers(1, 600)), max_size=6))
def test_no_long_piece_is_overlooked(runs: list[tuple[str, int]]) -> None:
    text = "".join(char * times for char, times in runs)
    found = list(pieces(text, CharacterClasses()))
    assert "".join(found) == text
    assert may_have_long_ones(text) or max(map(len, found), default=0) <= 258


@pytest.mark.parametrize(
    "text",
    [
        "Prose as it is written. ",
        "Η γρήγορη αλεπού. ",
        "東京は日本の首都です。",
        "| - | x |\n",
        "a1",
    ],
)
def test_ordinary_text_has_none(text: str) -> None:
    assert not may_have_long_ones(text * 1000)


@pytest.mark.parametrize("unit", ["a", " ", "\n", "-", "漢", "😀", "\u0301", "\x00", "\U000323b0"])
def test_a_run_is_one(unit: str) -> None:
    assert may_have_long_ones("Prose. " * 100 + unit * 300)
