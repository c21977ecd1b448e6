"""Windows cover a text and fit the model."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from rag.adapters.embedded.minilm import MiniLM, weights
from rag.adapters.embedded.minilm.embedder import LONGEST

SENTENCE = "The quick brown fox jumps over the lazy dog, and nobody knows why it would. "
FRAGMENTS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        [
            "word ",
            SENTENCE,
            "漢字",
            "👩‍👩‍👧",
            "e\u0301",
            "\x00",
            "\ud800",
            "각",
            "≠½",
            "don't",
            "[SEP]",
            "\n\n",
            ".",
            "x",
        ]
    ),
)
TEXTS = st.lists(st.tuples(FRAGMENTS, st.integers(1, 300)), max_size=8).map(
    lambda parts: "".join(fragment * times for fragment, times in parts)
)
HEADERS = st.text(max_size=190)


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(weights.installed() / weights.TOKENIZER))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer


@given(text=TEXTS, header=HEADERS)
def test_windows_cover_any_text_and_fit_the_model(
    minilm: MiniLM, tokenizer: Tokenizer, text: str, header: str
) -> None:
    spans = minilm.windows(text, header)
    assert (spans[0].start, spans[-1].end) == (0, len(text))
    assert all(left.end == right.start for left, right in pairwise(spans))
    assert all(span.start < span.end for span in spans) or not text
    for span in spans:
        passage = f"{header}\n{text[span.start : span.end]}".replace("\ud800", "\ufffd")
        assert len(tokenizer.encode(passage)) <= LONGEST


def test_a_text_that_fits_is_one_window(minilm: MiniLM) -> None:
    assert minilm.windows("word " * 254) == [(0, 5 * 254)]


def test_cuts_are_at_the_ends_of_sentences(minilm: MiniLM) -> None:
    spans = minilm.windows(SENTENCE * 40, "A title")
    assert len(spans) > 2
    assert all(span.start % len(SENTENCE) == 0 for span in spans)


def test_windows_are_of_about_equal_length(minilm: MiniLM) -> None:
    lengths = [end - start for start, end in minilm.windows("word " * 270)]
    assert lengths == [5 * 135, 5 * 135]


def test_a_longer_header_leaves_less_room(minilm: MiniLM) -> None:
    text = "word " * 1000
    assert len(minilm.windows(text, "title " * 60)) > len(minilm.windows(text))


def test_a_header_takes_at_most_three_quarters_of_the_room(minilm: MiniLM) -> None:
    assert len(minilm.windows("word " * 63, "title " * 500)) == 1
    assert len(minilm.windows("word " * 64, "title " * 500)) == 2
