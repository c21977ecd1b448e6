"""Numbers of sections: after the heading "3 Food", a line "3.1 Worms" is one too, however small."""

from __future__ import annotations

import re

LONGEST = 100  # letters of such a heading

_NUMBERED = re.compile(r"((?:\d{1,2}|[A-Z])(?:\.\d{1,2})*)\.?\s+(?P<letter>[^\W\d_])")


class Numbering:
    """Followed from the first page to the last."""

    def __init__(self) -> None:
        self._levels: dict[str, int] = {}  # by the numbers of the sections that are open

    def open(self, heading: str, level: int) -> None:
        """Go on to this heading."""
        if number := _number(heading):
            kept = (open for open in self._levels if number.startswith(f"{open}."))
            self._levels = {open: self._levels[open] for open in kept} | {number: level}

    def level(self, text: str) -> int:
        """Of a line that is the next section of one that is open; 0 if it is none."""
        parent = _number(text).rpartition(".")[0]
        return self._levels[parent] + 1 if parent in self._levels else 0


def _number(text: str) -> str:
    """Of a section that is called so, with a capital letter and without a full stop."""
    found = _NUMBERED.match(text)
    if not found or len(text) > LONGEST or found["letter"].islower() or text.endswith((".", ";")):
        return ""
    return found[1]
