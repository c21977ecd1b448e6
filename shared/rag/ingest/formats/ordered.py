"""The numbers of ordered lists on web pages."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rag.ingest.formats.counting import figures

_NUMBER = re.compile(r"\s*([+-]?[0-9]{1,9})")
_LOOK = re.compile(r"\blist-style(?:-type)?\s*:\s*([a-z-]+)", re.IGNORECASE)
_LOOKS = {
    "decimal-leading-zero": "01",
    "lower-alpha": "a",
    "lower-latin": "a",
    "upper-alpha": "A",
    "upper-latin": "A",
    "lower-roman": "i",
    "upper-roman": "I",
    **dict.fromkeys(("none", "disc", "circle", "square"), ""),
}


class OrderedList:
    """A list that is open, and counts its items."""

    def __init__(self, attributes: Mapping[str, str | None], length: int) -> None:
        self._step = -1 if "reversed" in attributes else 1
        self._next = _number(attributes.get("start"), length if self._step < 0 else 1)
        look = _LOOK.search(attributes.get("style") or "")
        self._figures = _LOOKS.get(look[1].lower(), "1") if look else attributes.get("type") or "1"

    def next(self, value: str | None) -> str:
        """The number of the next item, which may tell it."""
        number = _number(value, self._next)
        self._next = number + self._step
        return f"{figures(number, self._figures)}." if self._figures else ""


def _number(text: str | None, otherwise: int) -> int:
    found = _NUMBER.match(text or "")
    return int(found[1]) if found else otherwise
