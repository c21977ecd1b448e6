from __future__ import annotations

from collections.abc import Sequence

from rag.ingest.formats.layout.line import Line
from rag.ingest.formats.layout.order import ordered
from rag.ingest.formats.layout.tables import fits, rows
from tests.unit.ingest.formats.layout.made import line


def table(*texts: Sequence[tuple[str, float]]) -> list[Line]:
    """Rows of texts, each with its left."""
    return ordered(
        [
            line(text, left, 700 - 14 * number)
            for number, row in enumerate(texts)
            for text, left in row
        ]
    )


def test_columns_that_are_near_are_told_apart_by_all_rows() -> None:
    lines = table(
        [("Name", 50), ("Station", 120), ("Years", 180)],
        [("Brown", 50), ("Skerryvore", 120), ("12", 195)],
        [("Macdonald R", 50), ("Bell Rock", 120), ("7", 200)],
    )
    assert rows(lines) == [
        ("Name", "Station", "Years"),
        ("Brown", "Skerryvore", "12"),
        ("Macdonald R", "Bell Rock", "7"),
    ]


def test_a_cell_may_be_empty() -> None:
    lines = table(
        [("Name", 50), ("Station", 150), ("Years", 250)],
        [("Brown", 50), ("12", 250)],
    )
    assert rows(lines) == [("Name", "Station", "Years"), ("Brown", "", "12")]


def test_the_rest_of_a_cell_is_put_to_it() -> None:
    lines = table(
        [("Name", 50), ("Station", 150), ("Years", 250)],
        [("Brown", 50), ("Skerryvore,", 150), ("12", 250)],
    )
    rest = line("in the west", left=150, base=672)
    assert fits(lines, rest)
    assert rows([*lines, rest])[1:] == [("Brown", "Skerryvore, in the west", "12")]


def test_where_a_cell_goes_over_columns_each_row_is_for_itself() -> None:
    lines = table(
        [("A heading over both of the columns", 50), ("Years", 350)],
        [("Brown", 50), ("Skerryvore", 150), ("12", 350)],
    )
    assert rows(lines) == [
        ("A heading over both of the columns", "Years"),
        ("Brown", "Skerryvore", "12"),
    ]


def test_columns_of_a_right_to_left_script_begin_on_the_right() -> None:
    lines = table([("שנים", 50), ("שם", 150)], [("12", 50), ("חום", 150)])
    assert rows(lines) == [("שם", "שנים"), ("חום", "12")]


def test_a_row_of_near_cells_fits_and_prose_does_not() -> None:
    lines = table([("Name", 50), ("Years", 120)], [("Brown", 50), ("12", 120)])
    assert fits(lines, line("Macdonald     7", base=672))
    assert not fits(lines, line("The keepers of the lights", base=672))
    assert not fits(lines, line("Nobody", base=672))
