"""What a language model has written, as it may be passed on."""

from __future__ import annotations

import re

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
