from __future__ import annotations

import pytest

from rag.ingest.formats.layout.numbering import Numbering


@pytest.fixture
def numbering() -> Numbering:
    numbering = Numbering()
    numbering.open("3. Food", 2)
    return numbering


def test_the_sections_of_an_open_one_are_below_it(numbering: Numbering) -> None:
    assert numbering.level("3.1 Worms") == 3
    numbering.open("3.1 Worms", 3)
    assert numbering.level("3.1.1 Earthworms") == 4
    assert numbering.level("3.2 Snails") == 3


@pytest.mark.parametrize(
    "text",
    [
        "4.1 Of another",
        "3.1 is the best of all numbers",
        "3.1 Worms are eaten by most.",
        "3.1",
        "4 Housing",
        "Plain text",
    ],
)
def test_other_lines_are_no_headings(numbering: Numbering, text: str) -> None:
    assert numbering.level(text) == 0


def test_a_new_section_closes_the_one_before(numbering: Numbering) -> None:
    numbering.open("3.1 Worms", 3)
    numbering.open("4 Housing", 2)
    assert numbering.level("3.2 Snails") == 0
    assert numbering.level("4.1 Tanks") == 3
