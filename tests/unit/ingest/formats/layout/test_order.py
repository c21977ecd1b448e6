from __future__ import annotations

import pytest

from rag.ingest.formats.layout.line import Line
from rag.ingest.formats.layout.order import MOST_ROWS, ordered, with_tables_only
from tests.unit.ingest.formats.layout.made import line, stacked

LEFT = [f"Left {n}: words that fill all of it" for n in range(5)]
RIGHT = [f"Right {n}: words that fill it" for n in range(5)]


def read(lines: list[Line]) -> list[str]:
    return [line.text for line in ordered(lines)]


def interleaved(*columns: list[Line]) -> list[Line]:
    return [line for row in zip(*columns, strict=True) for line in row]


def test_columns_are_read_one_after_the_other() -> None:
    left, right = stacked(LEFT), stacked(RIGHT, left=300)
    assert read(interleaved(left, right)) == [*LEFT, *RIGHT]
    assert read([*right, *left]) == [*LEFT, *RIGHT]


def test_what_goes_over_all_columns_parts_them() -> None:
    over = line("A title that reaches over both of the columns, as titles of papers do", base=720)
    between = line(over.text, base=700 - 5 * 14)
    lower = stacked(LEFT, top=600), stacked(RIGHT, left=300, top=600)
    lines = [*stacked(LEFT), *stacked(RIGHT, left=300), over, between, *lower[0], *lower[1]]
    assert read(lines) == [over.text, *LEFT, *RIGHT, between.text, *LEFT, *RIGHT]


def test_columns_within_a_column_are_read_too() -> None:
    lefts = [f"{n} small but full column" for n in range(4)]
    rights = [f"{n} another one, as full" for n in range(4)]
    lines = [
        *stacked(LEFT, left=30),
        *stacked(lefts, left=260, top=704),
        *stacked(rights, left=420, top=704),
    ]
    assert read(lines) == [*LEFT, *lefts, *rights]


def test_columns_may_be_of_different_length() -> None:
    assert read([*stacked(LEFT), *stacked(RIGHT[:3], left=300)]) == [*LEFT, *RIGHT[:3]]


def test_columns_of_a_right_to_left_script_begin_on_the_right() -> None:
    words = "מילים שממלאות את כל השורה"
    left, right = ([f"{words} {n}" for n in range(start, start + 4)] for start in (4, 0))
    assert read([*stacked(left), *stacked(right, left=300)]) == [*right, *left]


def test_cells_are_read_row_by_row() -> None:
    lines = [
        line(text, left=50 + 150 * column, base=700 - 14 * row)
        for row in range(4)
        for column, text in enumerate(["Name", "Food", "12"])
    ]
    assert [line.cells for line in ordered(lines)] == [("Name", "Food", "12")] * 4


def test_a_table_in_a_column_does_not_hide_the_columns() -> None:
    cells = [
        line(text, left, 672 - 14 * row)
        for row in range(3)
        for text, left in (("Adult", 300), ("Worms", 360), ("9 grams", 420))
    ]
    lines = [*stacked(LEFT), *stacked(RIGHT[:2], left=300), *cells]
    assert read(lines) == [*LEFT, *RIGHT[:2], *["Adult Worms 9 grams"] * 3]


def test_two_rows_are_no_columns() -> None:
    assert read([*stacked(LEFT[:2]), *stacked(RIGHT[:2], left=300)]) == [
        f"{LEFT[0]} {RIGHT[0]}",
        f"{LEFT[1]} {RIGHT[1]}",
    ]


def test_a_page_of_very_many_rows_is_read_by_rows() -> None:
    rows = MOST_ROWS + 1
    lines = [
        Line(f"{name} that is long enough", left, float(base), left + 130, 0.5)
        for base in range(rows)
        for name, left in (("left", 0.0), ("right", 300.0))
    ]
    assert len(ordered(lines)) == rows


@pytest.mark.parametrize(
    ("cells", "kept"),
    [((("a", "b"),), 0), ((("a", "b"), ("c", "d")), 2), ((("a", "b", "c"),), 1)],
)
def test_a_lone_row_of_two_is_text(cells: tuple[tuple[str, ...], ...], kept: int) -> None:
    lines = [
        Line(" ".join(row), 50, 700 - 14 * n, 300, 10, cells=row) for n, row in enumerate(cells)
    ]
    text = [line("Text before.", base=714), *lines, line("Text after.", base=600)]
    assert sum(bool(one.cells) for one in with_tables_only(text)) == kept
