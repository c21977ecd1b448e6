from __future__ import annotations

from rag.ingest.formats.spanned import SpannedTable


def told(table: SpannedTable) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in table.blocks()]


def test_cells_stay_in_their_columns() -> None:
    table = SpannedTable()
    table.add("Animal", is_head=True, rows=2)
    table.add("Grams", is_head=True, columns=2)
    table.begin_row()
    table.add("week")
    table.add("month", rows=3)
    table.begin_row()
    table.add("Olm")
    table.add("2")
    table.begin_row()
    table.add("Eft")
    table.add("3")
    table.begin_row()
    table.add("Newt")
    table.add("4")
    table.add("5")
    assert told(table) == [
        ("header", "| Animal | Grams |  |"),
        ("row", "|  | week | month |"),
        ("row", "| Olm | 2 |"),
        ("row", "| Eft | 3 |"),
        ("row", "| Newt | 4 | 5 |"),
    ]


def test_a_lone_cell_before_the_rows_is_a_caption() -> None:
    table = SpannedTable()
    table.add("Food", is_head=True, columns=2)
    table.begin_row()
    table.add("Animal", is_head=True)
    table.add("Grams", is_head=True)
    table.begin_row()
    table.add("Olm")
    assert told(table) == [
        ("paragraph", "Food"),
        ("header", "| Animal | Grams |"),
        ("row", "| Olm |"),
    ]


def test_rows_without_text_are_none() -> None:
    table = SpannedTable()
    table.add("")
    table.begin_row()
    assert told(table) == []
