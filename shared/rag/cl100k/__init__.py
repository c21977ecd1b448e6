"""cl100k_base, exact and offline, by the library that is there.

Every text is plain: `<|endoftext|>` in a document is thirteen characters, not a token.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Protocol

VOCABULARY = 100_256


class Encoding(Protocol):
    """Texts into tokens. A text has no lone surrogates."""

    def encode(self, text: str) -> list[int]:
        """Its tokens."""
        ...

    def count(self, text: str) -> int:
        """How many tokens it has."""
        ...

    def fits(self, text: str, limit: int) -> bool:
        """Whether it has at most `limit` tokens, without counting all where it has more."""
        ...

    def bytes_of(self, token: int) -> bytes:
        """What a token stands for."""
        ...


@cache
def encoding() -> Encoding:
    """The faster one, where it is installed: it is a third of what a layer should hold."""
    # Imported at first use: most functions of the layer never count.
    if find_spec("rs_bpe"):
        from rag.cl100k.by_rs_bpe import RsBpe

        return RsBpe()
    from rag.cl100k.by_tiktoken import Tiktoken

    return Tiktoken()
