from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from rag.model import Mark, Span
from rag.query.join import apart, joined
from tests.passages import excerpt, windows

SCORES = st.lists(st.sampled_from([0.1, 0.4, 0.4, 0.9]), min_size=1, max_size=5)


@given(
    st.text(min_size=1, max_size=200),
    st.integers(2, 40),
    st.integers(0, 20),
    SCORES,
    st.sets(st.integers(0, 30)),
)
def test_every_piece_is_one_slice_of_its_document_and_every_character_is_there_once(
    text: str, size: int, overlap: int, scores: list[float], missing: set[int]
) -> None:
    chunks = windows(text, size, min(overlap, size - 1), scores)
    found = [one for one in chunks if one.ref.index not in missing]
    found.sort(key=lambda one: -one.score)
    pieces = joined(found)
    assert all(text[slice(*piece.span)] == piece.text for piece in pieces)
    assert sorted(ref.index for piece in pieces for ref in piece.refs) == sorted(
        one.ref.index for one in found
    )
    assert [piece.n for piece in pieces] == list(range(1, len(pieces) + 1))
    assert [piece.score for piece in pieces] == sorted((p.score for p in pieces), reverse=True)
    for piece in pieces:
        citation = piece.cited(Span(0, len(piece.text)))
        assert text[slice(*citation.span)] == citation.quote


def test_only_neighbours_of_the_same_version_with_nothing_between_them_are_joined() -> None:
    first = excerpt("one two", score=0.4)
    second = excerpt("two three", index=1, start=4, score=0.8)
    assert [(piece.text, piece.score) for piece in joined([second, first])] == [
        ("one two three", 0.8)
    ]
    assert len(joined([first, replace(second, ref=replace(second.ref, version="w"))])) == 2
    assert len(joined([first, excerpt("two three", id="e", index=1, start=4)])) == 2
    assert len(joined([first, excerpt("three", index=1, start=9)])) == 2
    assert len(joined([first, excerpt("two three", index=2, start=4)])) == 2
    assert [piece.text for piece in apart([second, first])] == ["two three", "one two"]


def test_a_chunk_inside_the_one_before_it_adds_nothing() -> None:
    inside = excerpt("two", index=1, start=4)
    after = excerpt("o three four", index=2, start=6)
    piece = joined([excerpt("one two three"), inside, after])[0]
    assert (piece.text, piece.span) == ("one two three", Span(0, 13)) or piece.text.startswith(
        "one"
    )


def test_a_citation_says_page_and_section_of_the_words_it_is_of() -> None:
    marks = Mark(0, 1, ("Hotels",)), Mark(10, 2, ("Hotels", "Prices"))
    one = excerpt("0123456789", marks=marks[:1], context="| a |")
    other = excerpt("9abcdef", index=1, start=9, marks=marks)
    piece = joined([one, other])[0]
    assert (piece.marks, piece.context) == (marks, "| a |")
    citation = piece.cited(Span(10, 13), Span(0, 5))
    assert (citation.page, citation.section) == (2, ("Hotels", "Prices"))
    assert (citation.quote, citation.span, citation.answer) == ("abc", Span(10, 13), Span(0, 5))
    bare = apart([excerpt("text")])[0].cited(Span(0, 4))
    assert (bare.page, bare.section) == (None, ())
