"""A document that every format can hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Heading:
    level: int  # from 1
    text: str


@dataclass(frozen=True)
class Paragraph:
    text: str


@dataclass(frozen=True)
class Items:
    texts: Sequence[str]


@dataclass(frozen=True)
class Quote:
    text: str


@dataclass(frozen=True)
class Code:
    text: str


@dataclass(frozen=True)
class Table:
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


Element: TypeAlias = Heading | Paragraph | Items | Quote | Code | Table


@dataclass(frozen=True)
class Story:
    title: str
    author: str
    created: str  # a day, as 2024-05-17
    elements: Sequence[Element]


STORY = Story(
    title="The keeping of newts",
    author="Ada Brook",
    created="2024-05-17",
    elements=(
        Heading(1, "The keeping of newts"),
        Paragraph(
            "Newts are small salamanders that spend the spring in water and the rest of the year"
            " on land. This guide tells how to house and feed them."
        ),
        Heading(2, "Housing"),
        Paragraph(
            "An adult pair needs a tank of eighty litres with plants, a flat stone to climb on and"
            " a tight lid. The water stays below twenty degrees all summer."
        ),
        Items(
            (
                "Rinse the gravel until the water runs clear.",
                "Fill the tank with rain water that has stood for two days.",
                "Let the plants root for three weeks before any animal moves in.",
            )
        ),
        Heading(2, "Feeding"),
        Paragraph(
            "Feed live food every second day, and only as much as is eaten within ten minutes."
            " Leftovers spoil the water faster than anything else."
        ),
        Table(
            ("Animal", "Food", "Grams per week"),
            (
                ("Larva", "Daphnia", "2"),
                ("Juvenile", "Bloodworm", "5"),
                ("Adult", "Earthworm", "9"),
            ),
        ),
        Heading(3, "Winter"),
        Paragraph(
            "From November on the animals rest in a cool cellar at six degrees and are not fed at"
            " all until they wake in March."
        ),
        Quote("A newt that floats is a newt that is ill, and it wants shallow water at once."),
        Heading(2, "Records"),
        Paragraph("Weigh every animal once a month and note it with this command."),
        Code("newtlog add --weight 7.5 \\\n    --animal Olm"),
        Paragraph("Café owners in Zürich keep them too, as do many in Łódź."),
    ),
)
