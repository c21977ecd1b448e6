"""The numbers that a text gives, in figures or in words, so that texts can be compared by them."""

from __future__ import annotations

import re

_FIGURES = re.compile(r"\d+(?:[.,]\d+)*")
_THOUSANDS = re.compile(r",(?=\d{3}(?!\d))")
_WORD = re.compile(r"[a-z]+", re.IGNORECASE)
_WORDS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}


def numbers(text: str) -> set[str]:
    """Every number of a text: in figures, decimals after a point, thousands not set apart."""
    figures = {_THOUSANDS.sub("", one).replace(",", ".") for one in _FIGURES.findall(text)}
    words = (word.lower() for word in _WORD.findall(text))
    return figures | {_WORDS[word] for word in words if word in _WORDS}
