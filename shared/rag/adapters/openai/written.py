"""What a language model has written, as it may be passed on, and what it took."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rag import usage
from rag.model import Usage

if TYPE_CHECKING:
    from openai.types import CompletionUsage

# More characters than the longest answers of models have. One that never ends is ended here, as it
# would be by its own limit of tokens.
LONGEST = 100_000

# Half of a surrogate pair, which no encoding has.
_HALVES = re.compile(r"[\ud800-\udfff]")
# What nobody sees: tags that spell letters, and marks that turn the direction of others around.
_UNSEEN = re.compile(r"[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")


def readable(text: str) -> str:
    """The text with nothing in it but what can be sent and seen."""
    return _UNSEEN.sub("", _HALVES.sub("\ufffd", text))


def counted(used: CompletionUsage | None) -> Usage:
    """The tokens that it took, counted for the request at hand."""
    if used is None:
        return Usage()
    counts = Usage(used.prompt_tokens or 0, used.completion_tokens or 0)
    usage.count(prompt_tokens=counts.prompt_tokens, completion_tokens=counts.completion_tokens)
    return counts
