"""By tiktoken, with the rank file of another package: small, and slower to begin with.

tiktoken takes quadratic time for a piece, and fails on a very long one. So a text that may have
long ones is cut into its pieces here, and long ones are merged here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import tiktoken

from rag.cl100k.merge import merge
from rag.cl100k.pieces import PATTERN, CharacterClasses, may_have_long_ones, pieces
from rag.cl100k.ranks import published_ranks
from rag.cl100k.seams import FIRST_SEAM, SEAM_REACH

LONG = 512  # bytes of a piece: from here on our own merging is the faster one
LONGEST_TOKEN = 128  # bytes
CHARACTERS_PER_TOKEN = 8  # prose has half of that


class Tiktoken:
    """An Encoding."""

    def __init__(self) -> None:
        self._ranks = published_ranks()
        self._library = tiktoken.Encoding(
            "cl100k_base", pat_str=PATTERN, mergeable_ranks=self._ranks, special_tokens={}
        )
        self.bytes_of = self._library.decode_single_token_bytes

    @cached_property
    def _classes(self) -> CharacterClasses:
        return CharacterClasses()

    def encode(self, text: str) -> list[int]:
        """The tokens of a text."""
        if not may_have_long_ones(text):
            return self._library.encode_ordinary(text)
        return [token for piece in pieces(text, self._classes) for token in self._of_piece(piece)]

    def _of_piece(self, piece: str) -> Sequence[int]:
        data = piece.encode()
        if (whole := self._ranks.get(data)) is not None:
            return (whole,)
        if len(data) < LONG:
            return self._library.encode_ordinary(piece)
        return merge(data, self._ranks)

    def count(self, text: str) -> int:
        """How many tokens a text has."""
        return len(self.encode(text))

    def fits(self, text: str, limit: int) -> bool:
        """Whether a text has at most `limit` tokens: mostly, its beginning tells if it has more."""
        if len(text) > LONGEST_TOKEN * limit:
            return False
        reach = CHARACTERS_PER_TOKEN * (limit + 1)
        seam = FIRST_SEAM.search(text, reach, reach + SEAM_REACH)
        if seam and self.count(text[: seam.end()]) > limit:
            return False
        return self.count(text) <= limit
