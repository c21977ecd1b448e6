"""Exact cl100k tokens: what is counted, and where tokens lie."""

from __future__ import annotations

import base64
import hashlib
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag import tokens

# Of the file in which cl100k_base was published.
PUBLISHED = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"

wild = st.lists(
    st.one_of(
        st.text(max_size=20),
        st.sampled_from(
            ["<|endoftext|>", "👩‍👩‍👧", "e\u0301", "漢字", "שלום", "\r\n", "\0", "   ", "word "]
        ),
    ),
    max_size=30,
).map("".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("hello world", 2),
        ("tiktoken is great!", 6),
        ("<|endoftext|>", 7),
        ("antidisestablishmentarianism", 6),
        ("2 + 2 = 4", 7),
        ("お誕生日おめでとう", 9),
        (" " * 128, 1),
    ],
)
def test_counts_are_those_of_tiktoken(text: str, expected: int) -> None:
    assert tokens.count(text) == expected


def test_the_vocabulary_is_the_published_one() -> None:
    pieces = tokens._encoding().bpe()
    ranks = (base64.b64encode(pieces.decode_tokens([rank])) for rank in range(100_256))
    published = b"".join(b"%s %d\n" % (piece, rank) for rank, piece in enumerate(ranks))
    assert hashlib.sha256(published).hexdigest() == PUBLISHED


def test_counting_never_opens_a_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("network")

    monkeypatch.setattr(socket, "socket", refuse)
    tokens._encoding.cache_clear()
    assert tokens.count("no network") == 2


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\udc00\ud800 and more"])
def test_a_lone_surrogate_counts_as_the_replacement_character(text: str) -> None:
    shown = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    assert tokens.count(text) == tokens.count(shown) == tokens.Ruler(text).total
    assert tokens.truncate(text, 100) == text


@given(wild, st.integers(0, 60))
def test_fits_agrees_with_count(text: str, limit: int) -> None:
    assert tokens.fits(text, limit) == (tokens.count(text) <= limit)


@given(wild)
def test_a_ruler_agrees_with_count_and_ends_where_the_text_ends(text: str) -> None:
    ruler = tokens.Ruler(text)
    assert ruler.total == tokens.count(text)
    assert ruler.after(ruler.total) == len(text)
    assert ruler.before(len(text)) == ruler.total


@given(wild)
def test_a_ruler_counts_up_along_the_text(text: str) -> None:
    ruler = tokens.Ruler(text)
    before = [ruler.before(position) for position in range(len(text) + 1)]
    assert before == sorted(before)
    for position, needed in enumerate(before):
        assert ruler.after(needed) >= position
        assert needed == 0 or ruler.after(needed - 1) < position


seams = (
    "word · and ·a b·'s ·'S x·ſ ·. ·\n·  ·1 ·(x y)·漢。字·ん、ア·é ·\n\n·'·;\n·\u00a0·-·\t".split(
        "·"
    )
)
seamed = st.lists(st.sampled_from(seams), max_size=80).map("".join)


@given(st.one_of(wild, seamed), st.data())
def test_a_ruler_counts_any_part_exactly(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert tokens.Ruler(text).count(start, end) == tokens.count(text[start:end])


def test_a_ruler_knows_characters_of_several_tokens() -> None:
    ruler = tokens.Ruler("a👩b")
    assert [ruler.before(position) for position in range(4)] == [0, 1, ruler.total - 1, ruler.total]
    assert [ruler.after(count) for count in range(ruler.total + 1)] == [
        0,
        1,
        *[1] * (ruler.total - 3),
        2,
        3,
    ]


@given(wild, st.integers(0, 40))
def test_truncation_is_a_prefix_that_fits(text: str, limit: int) -> None:
    prefix = tokens.truncate(text, limit)
    assert text.startswith(prefix)
    assert tokens.count(prefix) <= limit


@given(wild, st.integers(0, 40))
def test_truncation_loses_no_character_that_fits(text: str, limit: int) -> None:
    prefix = tokens.truncate(text, limit)
    assert prefix == text or not tokens.fits(text[: len(prefix) + 1], limit)


@pytest.mark.parametrize("limit", [0, -1, -100])
def test_nothing_fits_into_a_spent_budget(limit: int) -> None:
    assert tokens.truncate("text", limit) == ""
    assert not tokens.fits("text", limit)


@pytest.mark.parametrize("unit", ["a", " ", "\n", "😀", "-", "漢"])
def test_a_long_run_of_one_character_is_measured_and_cut(unit: str) -> None:
    text = unit * 200_000
    assert tokens.count(text) == tokens.Ruler(text).total
    assert tokens.fits(tokens.truncate(text, 100), 100)
