from __future__ import annotations

from rag.ingest.formats.layout.line import Line
from rag.ingest.formats.layout.sizes import Sizes
from tests.unit.ingest.formats.layout.made import LONG, line, page, stacked

PROSE = stacked([LONG] * 20)


def sizes(*lines: Line) -> Sizes:
    return Sizes(10, [page([*lines, *PROSE])])


def test_the_larger_the_letters_the_higher_the_heading() -> None:
    headings = [line(f"Of {size}", size=size) for size in (20, 16, 12)]
    found = sizes(*headings)
    assert [found.level(heading) for heading in headings] == [1, 2, 3]
    assert found.level(PROSE[0]) == 0


def test_what_is_long_or_has_no_letters_is_no_heading() -> None:
    others = [line(f"{LONG} " * 4, size=20), line("***", size=20), line("Newts … 3", size=20)]
    assert [sizes(*others).level(other) for other in others] == [0, 0, 0]


def test_the_pitch_is_that_within_paragraphs() -> None:
    apart = [line(LONG, base=400 - 25 * n) for n in range(15)]
    assert sizes().pitch(page([*PROSE[:8], *apart[:6]])) == 14
    assert sizes().pitch(page(apart)) == 25
    assert sizes().pitch(page(apart[:3])) == 14
