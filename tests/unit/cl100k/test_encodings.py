"""Both encodings: the same tokens for every text, and soon enough for the worst."""

from __future__ import annotations

import base64
import hashlib
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.cl100k import VOCABULARY, Encoding, encoding
from rag.cl100k.by_rs_bpe import RsBpe
from rag.cl100k.by_tiktoken import LONGEST_TOKEN, Tiktoken
from rag.cl100k.ranks import PUBLISHED

FAST, SMALL = RsBpe(), Tiktoken()

kinds = st.sampled_from(
    [
        *"as'ſK1²Ⅷ \t\n\r.-_漢あ😀é½",
        *("e\u0301", "'s", "'LL", "\r\n", "\u00a0", "\u2028", "\u3000", "\u200d", "\x1c", "\x85"),
        *("שלום", "ภาษา", "한국", "👩‍👩‍👧", "<|endoftext|>", "ab", " x", "\n ", "\t(", "0a"),
        # Letters and a number that are older than tiktoken's Unicode, but not than every Python's;
        # and some that are newer.
        *("\U00010d4a", "\U0001e5d0", "\U00016d70", "\U000323b0", "\U00011de0", "\u1c89"),
    ]
)
runs = st.tuples(st.one_of(kinds, st.text(min_size=1, max_size=3)), st.integers(1, 700))
texts = st.lists(
    st.one_of(
        st.text(max_size=20), kinds, runs.map(lambda run: run[0] * run[1]), st.just("prose, so ")
    ),
    max_size=12,
).map("".join)
encodable = texts.map(lambda text: text.encode(errors="ignore").decode())


@given(encodable)
def test_both_give_the_same_tokens(text: str) -> None:
    expected = FAST.encode(text)
    assert SMALL.encode(text) == expected
    assert SMALL.count(text) == FAST.count(text) == len(expected)


@given(encodable, st.integers(0, 300))
def test_both_agree_on_what_fits(text: str, limit: int) -> None:
    assert SMALL.fits(text, limit) == FAST.fits(text, limit) == (FAST.count(text) <= limit)


@pytest.mark.parametrize("made", [FAST, SMALL])
def test_the_vocabulary_is_the_published_one(made: Encoding) -> None:
    tokens = (base64.b64encode(made.bytes_of(rank)) for rank in range(VOCABULARY))
    published = b"".join(b"%s %d\n" % (token, rank) for rank, token in enumerate(tokens))
    assert hashlib.sha256(published).hexdigest() == PUBLISHED


def test_the_longest_token_is_known() -> None:
    assert max(len(FAST.bytes_of(rank)) for rank in range(VOCABULARY)) == LONGEST_TOKEN
    assert SMALL.fits(" " * LONGEST_TOKEN * 3, 3)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 800_000,
        "😀" * 200_000,
        " " * 800_000 + "x",
        "\t" * 800_000 + "(",
        "\n " * 400_000,
        "漢字検索" * 60_000,
        "abcdefghijklmnopqrstuvwxyz" * 30_000,
        # 255 of each, which is just not long
        ("a" * 255 + "-" * 255) * 1_600,
        ("😀" * 255 + "a") * 780,
    ],
    ids=lambda text: repr(text[:4]),
)
def test_long_runs_take_seconds_at_most(text: str) -> None:
    begun = process_time()
    found = SMALL.encode(text)
    assert process_time() - begun < 10
    assert found == FAST.encode(text)


def test_the_faster_one_is_taken_where_it_is_installed() -> None:
    assert isinstance(encoding(), RsBpe)
