"""What every reader makes of a file: blocks in reading order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from rag.model import Caution

Kind: TypeAlias = Literal[
    "heading", "paragraph", "item", "quote", "code", "header", "row", "verbatim"
]

# What files may tell of themselves, beside their title.
PROPERTIES = frozenset(
    {"author", "created", "modified", "subject", "keywords", "description", "language"}
)
# A bar inside of a cell.
BAR = "\\|"


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a file, without markup; only what is `verbatim` is text as it stands, with its
    line ends, and follows such a block with nothing between."""

    kind: Kind
    text: str  # of a header or a row: made by `cells`
    level: int = 0  # of a heading, from 1; of an item, from 0
    page: int | None = None
    section: tuple[str, ...] | None = None  # where it is known otherwise than by headings before it
    continues: bool = False  # the paragraph before goes on here, over the end of a page
    number: str = ""  # of an item or a heading that is numbered by itself: "3.", "b)", "4.2"

    @property
    def numbered(self) -> str:
        """The text behind its number, as it is seen."""
        return f"{self.number} {self.text}".strip() if self.number else self.text


@dataclass(frozen=True, slots=True)
class Reading:
    """All of a file."""

    blocks: Sequence[Block]
    title: str = ""
    properties: Mapping[str, str] = field(default_factory=dict)  # by the names of PROPERTIES
    cautions: tuple[Caution, ...] = ()


def cells(values: Iterable[str]) -> str:
    """A row of a table."""
    return f"| {' | '.join(' '.join(value.replace('|', BAR).split()) for value in values)} |"
