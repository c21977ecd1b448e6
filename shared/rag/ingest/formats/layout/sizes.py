"""How a document is set: the letters and lines of its text, and what stands out from them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rag.ingest.formats.layout.line import Line, Page

# A heading's letters are so much larger than the text's, and there are so many sizes of them.
HEADING, HEADING_SIZES, LONGEST_HEADING = 1.1, 4, 200
# A page with fewer lines is taken to be set as the others are.
LINES_THAT_TELL = 12


class Sizes:
    """What most of the text has, and what headings have."""

    def __init__(self, body: float, pages: Sequence[Page]) -> None:
        self.body = body
        lines = (line for page in pages if page.is_main for line in page.lines)
        larger = {round(line.size) for line in lines if self._may_be_heading(line)}
        self._headings = sorted(larger, reverse=True)[:HEADING_SIZES]
        self._pitch = self._usual([drop for page in pages for drop in self._drops(page)])

    def level(self, line: Line) -> int:
        """Of a heading, by its letters; 0 if this is none."""
        size = round(line.size)
        if size not in self._headings or not self._may_be_heading(line):
            return 0
        return self._headings.index(size) + 1

    def pitch(self, page: Page) -> float:
        """From one line of a paragraph to the next, on this page."""
        drops = self._drops(page)
        return self._usual(drops) if len(drops) >= LINES_THAT_TELL else self._pitch

    def _drops(self, page: Page) -> list[float]:
        drops = (above.base - below.base for above, below in pairwise(page.lines))
        return [drop for drop in drops if 0.5 * self.body < drop < 3 * self.body]

    def _usual(self, drops: list[float]) -> float:
        # Not the middle one: a page may have more paragraphs than lines in them.
        return sorted(drops)[len(drops) // 4] if drops else 1.2 * self.body

    def _may_be_heading(self, line: Line) -> bool:
        if line.size <= HEADING * self.body or len(line.text) > LONGEST_HEADING:
            return False
        return not line.is_entry and any(map(str.isalpha, line.text))
