from __future__ import annotations

from collections.abc import Sequence

import pytest

from rag.errors import Unreadable
from rag.ingest.formats import read
from rag.ingest.formats.table import table
from rag.model import Span
from tests.writers.csv import write
from tests.writers.story import STORY


def test_rows_are_carried_with_their_header() -> None:
    parsed = read("table", write(STORY))
    assert parsed.text == (
        "| Animal | Food | Grams per week |\n| --- | --- | --- |\n| Larva | Daphnia | 2 |\n"
        "| Juvenile | Bloodworm | 5 |\n| Adult | Earthworm | 9 |"
    )
    header = parsed.marks[-1].header
    assert header is not None
    assert parsed.text[slice(*header)] == "| Animal | Food | Grams per week |"


@pytest.mark.parametrize(
    "data",
    [
        b"Animal,Food\nLarva,Daphnia\nAdult,Worm\n",
        b"Animal;Food\r\nLarva;Daphnia\r\nAdult;Worm",
        b"Animal\tFood\nLarva\tDaphnia\n\n\t\nAdult\tWorm\n",
        b"Animal|Food\nLarva|Daphnia\nAdult|Worm\n",
        b'"Animal","Food",\n"Larva","Daphnia",""\nAdult , "Worm"\n',
        b"sep=;\nAnimal;Food\nLarva;Daphnia\nAdult;Worm\n",
        "Animal;Food\nLarva;Daphnia\nAdult;Worm\n".encode("utf-16"),
    ],
)
def test_values_may_be_parted_in_many_ways(data: bytes) -> None:
    expected = "| Animal | Food |\n| --- | --- |\n| Larva | Daphnia |\n| Adult | Worm |"
    assert read("table", data).text.replace('"', "") == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a;b\n1,5;2,5\n", "| a | b |\n| --- | --- |\n| 1,5 | 2,5 |"),
        (b'a,b\n"x\ny, z","|"\n', "| a | b |\n| --- | --- |\n| x y, z | \\| |"),
        (b'a,b\n"never closed,1\n2,3', "| a | b |\n| --- | --- |\n| never closed,1 2,3 |"),
        ("a,b\x0bc\x85d\u2028e\n1,2\n".encode(), "| a | b c d e |\n| --- | --- |\n| 1 | 2 |"),
        (b"newts\nefts\n", "| newts |\n| --- |\n| efts |"),
        (b"newts\n", "| newts |"),
        (b"a,b\n1,\0\n", "| a | b |\n| --- | --- |\n| 1 |  |"),
    ],
)
def test_values_are_what_they_stand_for(data: bytes, expected: str) -> None:
    assert read("table", data).text == expected


@pytest.mark.parametrize(
    ("rows", "kinds"),
    [
        ([("a", "b"), ("1", "2")], ["header", "row"]),
        ([("a", "2024"), ("1", "2")], ["row", "row"]),
        ([("a", "-1.5 %"), ("1", "2")], ["row", "row"]),
        ([("a", "B2"), ("", ""), ("1", "2")], ["header", "row"]),
        (
            [("Report", ""), ("of May",), ("a", "b"), ("1", "2")],
            ["paragraph"] * 2 + ["header", "row"],
        ),
        ([("a", "b")], ["row"]),
        ([("a",), ("b",)], ["header", "row"]),
        ([("Region", "2019", "2020"), ("North", "3", "4")], ["header", "row"]),
        ([("", "2019", "2020"), ("North", "3", "4")], ["header", "row"]),
        ([("Ann", "1990"), ("Bob", "1985")], ["row", "row"]),
        ([("2019", "2020"), ("3", "4")], ["row", "row"]),
        ([("", "")], []),
        ([], []),
    ],
)
def test_the_first_row_is_the_header_if_it_names_the_columns(
    rows: Sequence[Sequence[str]], kinds: Sequence[str]
) -> None:
    assert [block.kind for block in table(rows)] == kinds


def test_rows_have_no_empty_end_but_keep_their_gaps() -> None:
    assert [block.text for block in table([("a", "", " b ", "", " ")])] == ["| a |  | b |"]


def test_a_value_may_be_as_long_as_the_file() -> None:
    parsed = read("table", b"a,b\n" + b"x" * 1_000_000 + b",y")
    assert len(parsed.text) > 1_000_000
    assert parsed.marks[-1].header == Span(0, 9)


@pytest.mark.parametrize("data", [b"", b",,\n,,\n", b"\n\n"])
def test_a_table_of_nothing_is_unreadable(data: bytes) -> None:
    with pytest.raises(Unreadable, match="has no text"):
        read("table", data)
