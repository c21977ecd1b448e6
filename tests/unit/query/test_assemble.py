from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag import tokens
from rag.errors import ContextOverflow
from rag.query.assemble import assemble, without
from rag.query.layouts import CLOSING, OPENING, PLATFORM, V3, Layout, PlatformLayout
from rag.query.template import parsed
from tests.passages import excerpt, windows

BARE = tokens.count(PLATFORM.rendered("", []).system)
STORY = " ".join(f"Fact number {number} is of weight {number * 7}." for number in range(40))
TEMPLATES = st.sampled_from(["{context}{query}", "{{{query}}}\n{context}{context}é"])


@given(
    st.lists(st.text(max_size=200), max_size=5),
    st.text(max_size=30),
    st.text(max_size=100),
    TEMPLATES,
    st.integers(0, BARE + 200),
)
def test_a_prompt_never_exceeds_its_budget(
    texts: list[str], title: str, query: str, template: str, budget: int
) -> None:
    excerpts = [excerpt(text, title, id=f"d{n}") for n, text in enumerate(texts)]
    layout = PlatformLayout(parsed(template))
    try:
        assembled = assemble(query, excerpts, budget, layout)
    except ContextOverflow as overflow:
        assembled = assemble(query, excerpts, overflow.details["needed"], layout)
        budget = max(budget + 1, assembled.token_count)
    count = tokens.count(assembled.system) + tokens.count(assembled.prompt)
    assert assembled.token_count == count <= budget
    assert bool(assembled.pieces) == bool(texts)
    for dropped in assembled.pieces:
        fewer = without(assembled, dropped.refs, query, layout)
        assert fewer.token_count <= budget
        assert [one.n for one in fewer.pieces] == [
            one.n for one in assembled.pieces if one is not dropped
        ]


def test_what_does_not_fit_is_told_with_what_it_would_take() -> None:
    for excerpts, told in (([excerpt("Bread.")], "the most relevant piece"), ([], "no piece")):
        with pytest.raises(ContextOverflow, match=told) as overflow:
            assemble("?", excerpts, 1, PLATFORM)
        assert f"{overflow.value.details['needed']} tokens" in overflow.value.message


FRAMES = [OPENING, CLOSING, f"x\n{CLOSING}", f"=== {CLOSING} ===", "==  END\u00a0context=="]


@given(
    st.lists(st.text(max_size=200) | st.sampled_from(FRAMES), max_size=6),
    st.text(max_size=20),
    st.integers(0, 300),
)
def test_v3s_context_never_exceeds_its_budget_and_its_frame_stands_once(
    texts: list[str], title: str, budget: int
) -> None:
    context = assemble("?", [excerpt(text, title) for text in texts], budget, V3)
    assert tokens.count(context.prompt) == context.token_count <= budget
    assert [piece.text for piece in context.pieces] == texts[: len(context.pieces)]
    framed = bool(context.pieces)
    assert context.prompt.count(OPENING) == context.prompt.count(CLOSING) == framed


def test_it_is_full_to_the_token() -> None:
    found = windows(STORY, 200, 30, [0.9, 0.3, 0.8, 0.2, 0.7])
    found.sort(key=lambda one: -one.score)
    for count in range(1, len(found) + 1):
        whole = assemble("Which?", found[:count], 10_000, PLATFORM)
        assert assemble("Which?", found, whole.token_count, PLATFORM).pieces == whole.pieces
        less = whole.token_count - 1
        if count > 1:
            assert assemble("Which?", found, less, PLATFORM).token_count <= less
        else:
            with pytest.raises(ContextOverflow) as overflow:
                assemble("Which?", found, less, PLATFORM)
            assert overflow.value.details == {"maxTokens": less, "needed": whole.token_count}


def test_the_most_relevant_come_first_whatever_their_order_was() -> None:
    found = [
        excerpt(f"Text about {name}.", id=name, score=score)
        for name, score in [("low", 0.2), ("high", 0.9), ("middle", 0.5)]
    ]
    pieces = assemble("?", found, 10_000, PLATFORM).pieces
    assert [(piece.n, piece.document.id) for piece in pieces] == [
        (1, "high"),
        (2, "middle"),
        (3, "low"),
    ]


def test_neighbours_are_one_piece_and_near_duplicates_are_left_out() -> None:
    found = windows(STORY, 300, 50, [0.9, 0.8])
    copies = windows(STORY, 300, 50, [0.4], id="copy")
    assembled = assemble("?", [*found, *copies], 10_000, PLATFORM)
    assert [piece.text for piece in assembled.pieces] == [STORY]
    assert assembled.included == 1
    assert [(one.n, one.document.id, one.quote) for one in assembled.citations] == [
        (1, found[0].document.id, STORY)
    ]
    assert assembled.prompt.count("Fact number 17 ") == 1


def test_of_a_document_too_long_to_join_the_best_chunks_are_in() -> None:
    found = windows(STORY, 200, 20, [0.2, 0.9, 0.8])
    found.sort(key=lambda one: -one.score)
    assembled = assemble("?", found, BARE + 250, PLATFORM)
    assert assembled.pieces
    assert all(piece.score >= 0.8 for piece in assembled.pieces)
    assert all(STORY[slice(*piece.span)] == piece.text for piece in assembled.pieces)


def test_a_piece_stays_as_long_as_one_of_its_chunks_does() -> None:
    found = windows(STORY, 300, 50, [0.9, 0.8])
    assembled = assemble("?", [*found, excerpt("Other.", id="e", score=0.1)], 10_000, PLATFORM)
    dropped = [one.ref for one in found[1:]]
    assert without(assembled, dropped, "?", PLATFORM).pieces == assembled.pieces
    rest = without(assembled, [found[0].ref, *dropped], "?", PLATFORM)
    assert [piece.n for piece in rest.pieces] == [2]
    assert 'n="2"' in rest.prompt
    assert 'n="1"' not in rest.prompt


def test_with_nothing_found_the_question_stands_alone() -> None:
    assembled = assemble("Why?", [], 10_000, PLATFORM)
    assert "Why?" in assembled.prompt
    assert assembled.pieces == ()
    assert assemble("Why?", [], 0, V3).prompt == ""


@pytest.mark.parametrize("layout", [V3, PLATFORM])
def test_a_small_prompt_is_made_without_loading_what_counts(
    monkeypatch: pytest.MonkeyPatch, layout: Layout
) -> None:
    monkeypatch.setattr("rag.cl100k.encoding", None)
    found = [excerpt("Newts live in ponds.")]
    assembled = assemble("Where?", found, 4000, layout)
    assert "ponds" in assembled.prompt
    with pytest.raises(TypeError):
        _ = assembled.token_count
