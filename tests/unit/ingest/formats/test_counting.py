from __future__ import annotations

import pytest

from rag.ingest.formats.counting import Levels, figures


@pytest.mark.parametrize(
    ("number", "kind", "written"),
    [
        (12, "1", "12"),
        (7, "01", "07"),
        (26, "a", "z"),
        (28, "a", "ab"),
        (703, "A", "AAA"),
        (4, "i", "iv"),
        (1994, "I", "MCMXCIV"),
    ],
)
def test_a_number_is_written_in_the_figures_of_its_kind(
    number: int, kind: str, written: str
) -> None:
    assert figures(number, kind) == written


def test_letters_may_be_doubled_after_the_last_one() -> None:
    assert [figures(number, "A", doubled=True) for number in (26, 27, 28)] == ["Z", "AA", "BB"]


@pytest.mark.parametrize("number", [0, -3, 999_999_999])
@pytest.mark.parametrize("kind", ["a", "A", "i", "I", "", "unknown"])
@pytest.mark.parametrize("doubled", [False, True])
def test_what_has_no_such_figures_is_written_in_digits(
    number: int, kind: str, doubled: bool
) -> None:
    assert figures(number, kind, doubled=doubled) == str(number)


def test_each_level_counts_for_itself_until_it_restarts() -> None:
    levels = Levels()
    assert [levels.count(0, 1), levels.count(1, 5), levels.count(1, 5)] == [1, 5, 6]
    levels.restart(1)
    assert [levels.count(0, 1), levels.at(1, 0), levels.count(1, 5)] == [2, 0, 5]
