from __future__ import annotations

import pytest

from rag.query.numbers import numbers


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("140 euros, 15 nights", {"140", "15"}),
        ("1,234,567.8 metres in 2024.", {"1234567.8", "2024"}),
        ("1,5 t, and not 15", {"1.5", "15"}),
        ("12,50 Euro", {"12.50"}),
        ("Two or TWELVE, but not someone", {"2", "12"}),
        ("none", set()),
    ],
)
def test_numbers_are_read_in_figures_and_in_words(text: str, found: set[str]) -> None:
    assert numbers(text) == found


def test_a_number_is_the_same_however_it_is_written() -> None:
    assert numbers("1,000") == numbers("1000")
    assert numbers("1,5") == numbers("1.5")
