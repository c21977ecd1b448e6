from __future__ import annotations

from rag.ingest.formats.grid import Grid


def told(grid: Grid) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in grid.blocks()]


def test_cells_stay_in_their_columns() -> None:
    grid = Grid()
    grid.add("Animal", is_head=True, rows=2)
    grid.add("Grams", is_head=True, columns=2)
    grid.begin_row()
    grid.add("week")
    grid.add("month", rows=3)
    grid.begin_row()
    grid.add("Olm")
    grid.add("2")
    grid.begin_row()
    grid.add("Eft")
    grid.add("3")
    grid.begin_row()
    grid.add("Newt")
    grid.add("4")
    grid.add("5")
    assert told(grid) == [
        ("header", "| Animal | Grams |  |"),
        ("row", "|  | week | month |"),
        ("row", "| Olm | 2 |"),
        ("row", "| Eft | 3 |"),
        ("row", "| Newt | 4 | 5 |"),
    ]


def test_a_lone_cell_before_the_rows_is_a_caption() -> None:
    grid = Grid()
    grid.add("Food", is_head=True, columns=2)
    grid.begin_row()
    grid.add("Animal", is_head=True)
    grid.add("Grams", is_head=True)
    grid.begin_row()
    grid.add("Olm")
    assert told(grid) == [
        ("paragraph", "Food"),
        ("header", "| Animal | Grams |"),
        ("row", "| Olm |"),
    ]


def test_rows_without_text_are_none() -> None:
    grid = Grid()
    grid.add("")
    grid.begin_row()
    assert told(grid) == []
