"""Windows: never over the limit, exact offsets, full cover, bounded overlap, good cuts."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag import tokens
from rag.errors import TooLarge
from rag.ingest.chunk import windows
from rag.model import Chunk

pieces = st.sampled_from(
    "Word ·word ·ing·. ·! ·\n·\r\n·\n\n·# ·- ·<|endoftext|>·12·漢字·。·、·שלום ·مرحبا ·\0·"
    "👩‍👩‍👧·👍🏽·🇩🇪·e\u0301\u0302·\u200d·                    ·----------·aaaaaaaaaaaa".split("·")
)
wild = st.lists(st.one_of(pieces, st.text(max_size=10)), max_size=80).map("".join)


@st.composite
def limits(draw: st.DrawFn) -> tuple[int, int]:
    size = draw(st.integers(1, 64))
    return size, draw(st.integers(0, size - 1))


@given(wild, limits())
def test_no_chunk_is_over_unless_it_is_a_single_character(
    text: str, limit: tuple[int, int]
) -> None:
    size, overlap = limit
    for chunk in windows(text, size, overlap):
        assert tokens.count(chunk.text) <= size or len(chunk.text) == 1


@given(wild, st.integers(4, 64))
def test_from_four_tokens_on_no_chunk_is_over(text: str, size: int) -> None:
    assert all(tokens.count(chunk.text) <= size for chunk in windows(text, size, size // 2))


@given(wild, limits())
def test_offsets_are_exact_and_indices_count_up(text: str, limit: tuple[int, int]) -> None:
    for index, chunk in enumerate(windows(text, *limit)):
        assert chunk.index == index
        assert chunk.text == text[chunk.start : chunk.end] != ""


@given(wild, limits())
def test_chunks_cover_the_text_and_each_brings_something_new(
    text: str, limit: tuple[int, int]
) -> None:
    covered, last = 0, -1
    for chunk in windows(text, *limit):
        assert last < chunk.start <= covered < chunk.end
        covered, last = chunk.end, chunk.start
    assert covered == len(text)


@given(wild, limits())
def test_the_overlap_is_within_its_bound(text: str, limit: tuple[int, int]) -> None:
    size, overlap = limit
    chunks = windows(text, size, overlap)
    for before, after in pairwise(chunks):
        assert tokens.count(text[after.start : before.end]) <= overlap


@given(wild)
def test_what_fits_is_one_chunk(text: str) -> None:
    size = max(1, tokens.count(text))
    assert windows(text, size, 0) == ([Chunk(0, 0, len(text), text)] if text else [])


@pytest.mark.parametrize(
    "unit", ["a", "😀", " ", "\n", "漢字", "aZ3+/", "e\u0301", "\u0301", ".", "- "]
)
def test_long_runs_without_a_place_to_cut_still_fill_their_windows(unit: str) -> None:
    text = unit * (60_000 // len(unit))
    chunks = windows(text)
    counts = [tokens.count(chunk.text) for chunk in chunks]
    assert max(counts) <= 512
    assert all(count > 500 for count in counts[:-2])
    assert min(counts) > 128


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (-1, 0), (10, 10), (10, 11), (10, -1)])
def test_bad_limits_are_refused(size: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="must be at least"):
        windows("text", size, overlap)


def test_a_lone_surrogate_does_not_break_the_chunker() -> None:
    text = "broken \ud800 text. " * 20
    assert "".join(chunk.text for chunk in windows(text, 16, 0)) == text


SENTENCE = "The quick brown fox jumps over the lazy dog again. "  # eleven tokens with its space


def test_cuts_are_at_sentence_starts() -> None:
    for chunk in windows(SENTENCE * 100, 64, 16):
        assert chunk.text.startswith("The quick")
        assert chunk.text.endswith("again. ")


def test_a_paragraph_is_preferred_to_a_later_sentence() -> None:
    paragraph = SENTENCE * 4 + "\n\n"
    first, *_ = windows(paragraph * 10, 64, 0)
    assert first.text == paragraph


def test_a_paragraph_that_would_leave_the_window_half_empty_is_not() -> None:
    first, *_ = windows(SENTENCE + "\n\n" + SENTENCE * 20, 64, 0)
    assert first.text == SENTENCE + "\n\n" + SENTENCE * 4


def test_a_heading_goes_with_what_it_heads() -> None:
    section = "## Title\n\n" + SENTENCE * 5
    chunks = windows((section + "\n\n") * 6, 66, 0)
    assert [chunk.text.strip() for chunk in chunks] == [section.strip()] * 6


def test_a_sentence_too_long_is_cut_at_a_line_or_a_word() -> None:
    words = " ".join(f"word{number}" for number in range(200))
    assert all(chunk.text.startswith("word") for chunk in windows(words, 50, 10))
    lines = "\n".join(f"line {number} goes on" for number in range(100))
    assert all(chunk.text.startswith("line") for chunk in windows(lines, 50, 0))


def test_the_overlap_repeats_whole_sentences_where_they_fit() -> None:
    chunks = windows(SENTENCE * 40, 64, 25)
    for before, after in pairwise(chunks):
        assert (before.end - after.start) == 2 * len(SENTENCE)


def test_no_overlap_is_no_overlap() -> None:
    text = SENTENCE * 40
    assert "".join(chunk.text for chunk in windows(text, 64, 0)) == text


def test_the_last_two_chunks_share_what_is_left() -> None:
    counts = [tokens.count(chunk.text) for chunk in windows(SENTENCE * 13, 128, 0)]
    assert len(counts) == 2
    assert min(counts) > 40


def test_what_reads_as_one_character_is_not_parted() -> None:
    for unit in ("👩‍👩‍👧", "👍🏽", "e\u0301\u0302", "\r\n"):
        chunks = windows(unit * 400, 64, 0)
        assert len(chunks) > 1
        assert all(len(chunk.text) % len(unit) == 0 for chunk in chunks)


def test_a_text_that_would_become_too_many_chunks_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rag.ingest.chunk.MOST_CHUNKS", 20)
    assert len(windows("newt " * 60, 10, 0)) <= 20
    with pytest.raises(TooLarge, match="more than 20 chunks of 10 tokens"):
        windows("newt " * 60, 10, 9)
