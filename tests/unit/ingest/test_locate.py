"""Chunks know where they are in their file."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rag.ingest.chunk import windows
from rag.ingest.locate import LONGEST_CONTEXT, located
from rag.model import Chunk, Mark, Span, mark_at


def cut(text: str, *starts: int) -> list[Chunk]:
    ends = [*starts[1:], len(text)]
    return [
        Chunk(index, start, end, text[start:end])
        for index, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]


def test_a_chunk_has_the_mark_that_holds_at_its_start_and_those_inside_of_it() -> None:
    marks = [Mark(0, 1), Mark(4, 2), Mark(8, 3), Mark(12, 4)]
    first, second, third = located(cut("x" * 16, 0, 6, 8), "x" * 16, marks)
    assert first.marks == (Mark(0, 1), Mark(4, 2))
    assert second.marks == (Mark(4, 2),)
    assert third.marks == (Mark(8, 3), Mark(12, 4))


def test_without_marks_chunks_stay_as_they_are() -> None:
    chunks = cut("newts", 0, 2)
    assert located(chunks, "newts", ()) == chunks


def test_rows_that_are_cut_off_their_header_bring_it_along() -> None:
    text = "| name |\n| --- |\n| eft |\n| newt |\n\nEnd."
    marks = [Mark(0), Mark(17, header=Span(0, 8)), Mark(35)]
    whole, rows, end = located(cut(text, 0, 25, 35), text, marks)
    assert [one.context for one in (whole, rows, end)] == ["", "| name |", ""]


def test_a_context_is_not_longer_than_it_helps() -> None:
    text = "|" + "x" * 5000 + "|\nrow"
    marks = [Mark(0), Mark(5003, header=Span(0, 5002))]
    assert located(cut(text, 0, 5003), text, marks)[1].context == text[:LONGEST_CONTEXT]


def test_the_places_of_a_chunk_take_no_more_room_than_there_is() -> None:
    chapter = "x" * 200
    marks = [Mark(at, section=(chapter, str(at))) for at in range(1000)]
    [chunk] = located(cut("x" * 1000, 0), "x" * 1000, marks)
    assert 50 < len(chunk.marks) < 100
    assert chunk.marks == tuple(marks[: len(chunk.marks)])


def test_a_chunk_has_a_place_however_long_its_headings_are() -> None:
    marks = [Mark(0, section=("x" * 50_000,)), Mark(1)]
    [chunk] = located(cut("xx", 0), "xx", marks)
    assert chunk.marks == (marks[0],)


@given(st.text(max_size=300), st.sets(st.integers(1, 300)), st.integers(1, 20))
def test_every_character_of_a_chunk_is_where_it_was(text: str, starts: set[int], size: int) -> None:
    marks = [Mark(at, page) for page, at in enumerate([0, *sorted(starts)]) if at < len(text)]
    for chunk in located(windows(text, size, size // 2), text, marks):
        for place in range(chunk.start, chunk.end):
            assert mark_at(chunk.marks, place) == mark_at(marks, place)
