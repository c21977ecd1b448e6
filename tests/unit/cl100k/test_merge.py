"""Merging a piece: as by looking for the best pair again and again."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from rag.cl100k.merge import merge

words = st.binary(min_size=1, max_size=4).map(lambda data: bytes(97 + byte % 3 for byte in data))
vocabularies = st.lists(words, unique=True, max_size=30)


def merged(piece: bytes, ranks: dict[bytes, int]) -> list[int]:
    """As it is defined."""
    parts = [piece[at : at + 1] for at in range(len(piece))]
    while True:
        pairs = [left + right for left, right in pairwise(parts)]
        known = [(ranks[pair], at) for at, pair in enumerate(pairs) if pair in ranks]
        if not known:
            return [ranks[part] for part in parts]
        _, at = min(known)
        parts[at : at + 2] = [pairs[at]]


@given(vocabularies, words, st.lists(words, max_size=20))
def test_it_is_as_defined_by_any_ranks(
    vocabulary: list[bytes], first: bytes, rest: list[bytes]
) -> None:
    tokens = dict.fromkeys([*vocabulary, b"a", b"b", b"c"])
    ranks = {token: rank for rank, token in enumerate(tokens)}
    piece = first + b"".join(rest)
    assert merge(piece, ranks) == merged(piece, ranks)


def test_a_single_byte_is_itself() -> None:
    assert merge(b"a", {b"a": 7}) == [7]
