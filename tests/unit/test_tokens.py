"""Exact cl100k tokens: what is counted, and where tokens lie."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag import cl100k, tokens
from rag.cl100k.by_rs_bpe import RsBpe
from rag.cl100k.by_tiktoken import Tiktoken

wild = st.lists(
    st.one_of(
        st.text(max_size=20),
        st.sampled_from(
            ["<|endoftext|>", "👩‍👩‍👧", "e\u0301", "漢字", "שלום", "\r\n", "\0", "   ", "word "]
        ),
    ),
    max_size=30,
).map("".join)


@pytest.fixture(params=[RsBpe, Tiktoken], scope="module", autouse=True)
def _encoding(request: pytest.FixtureRequest) -> Iterator[None]:
    encoding = request.param()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cl100k, "encoding", lambda: encoding)
        yield


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


@pytest.mark.parametrize("made", [RsBpe, Tiktoken])
def test_counting_never_opens_a_socket(
    monkeypatch: pytest.MonkeyPatch, made: type[cl100k.Encoding]
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("network")

    monkeypatch.setattr(socket, "socket", refuse)
    assert made().count("no network") == 2


def test_what_fits_by_its_bytes_needs_no_encoding() -> None:
    program = """
import sys
from rag import tokens
assert tokens.fits("a question", 10) and tokens.truncate("a question", 10) == "a question"
print(*sys.modules)
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert not {"rs_bpe", "tiktoken"} & set(run.stdout.split())


@given(wild)
def test_no_text_has_more_tokens_than_bytes(text: str) -> None:
    assert tokens.count(text) <= tokens.most(text)


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
