"""A result says where in its file it is: there where the question's words are."""

from __future__ import annotations

import numpy as np
import pytest

from rag.model import (
    Chunk,
    ChunkRef,
    Document,
    Embedding,
    Excerpt,
    Found,
    Mark,
    Question,
    StoredChunk,
)
from rag.query.place import placed
from rag.terms import terms

TEXT = (
    "# Hotels\n\nRooms are paid up to 140 euros.\n\n"
    "# Trains\n\nTickets cost what they cost. Rooms on trains do not.\n\n"
    "# Meals\n\nBreakfast is included."
)
MARKS = (
    Mark(100, 1, ("Hotels",)),
    Mark(100 + TEXT.index("# Trains"), 2, ("Trains",)),
    Mark(100 + TEXT.index("# Meals"), 3, ("Meals",)),
)
DOCUMENT = Document("d", "v", "", "", "", "", "", "Travel", (), "{}", 1, "", "")


def found(query: str, marks: tuple[Mark, ...] = MARKS) -> Excerpt:
    words = tuple(terms(query))
    question = Question(
        query, words, {word.text: 1.0 for word in words}, Embedding(np.zeros(1, np.float32)), 1
    )
    chunk = Chunk(1, 100, 100 + len(TEXT), TEXT, marks)
    excerpt = Excerpt(ChunkRef("d", "v", 1), DOCUMENT, StoredChunk(chunk, (), ()), 0.5)
    [one] = placed(Found(question, (excerpt,))).excerpts
    return one


@pytest.mark.parametrize(
    ("query", "page", "section"),
    [
        ("What is paid for rooms?", 1, "Hotels"),
        ("Is breakfast included?", 3, "Meals"),
        ("rooms on trains", 2, "Trains"),
        ("hotels: euros", 1, "Hotels"),  # the heading counts for what is under it
        ("something else", 1, "Hotels"),
    ],
)
def test_a_chunk_over_several_pages_is_placed_by_its_best_sentence(
    query: str, page: int, section: str
) -> None:
    assert (found(query).page, found(query).section) == (page, section)


def test_sections_are_told_from_the_outermost_on() -> None:
    assert found("x", (Mark(0, section=("A", "B")),)).section == "A › B"


@pytest.mark.parametrize("marks", [(), (Mark(0),)])
def test_what_is_not_known_is_not_told(marks: tuple[Mark, ...]) -> None:
    assert (found("rooms", marks).page, found("rooms", marks).section) == (None, None)
