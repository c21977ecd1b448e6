"""Every sentence of an answer is held against its sources before it is sent."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.answering import Answered, Said
from rag.errors import DeadlineExceeded
from rag.model import Span, Usage
from rag.query.assemble import assemble
from rag.query.check import Checked
from rag.query.layouts import PLATFORM
from rag.query.quote import NOTHING, quotes
from rag.timing import time_limit
from tests.passages import excerpt, grounding, sentence

ROOMS = "Hotel rooms are paid for up to 140 euros a night."
MEALS = "Breakfast in a hotel is not paid for."
LUNCH = "The canteen serves lasagne on Tuesdays."
FOUND = [
    excerpt(f"{ROOMS}\n\n{LUNCH}", "Travel", id="a", score=0.9),
    excerpt(f"Of meals.\n\n{MEALS}", "Meals", id="b", start=50, score=0.6),
]
QUERY = "What does a hotel cost, and who pays for breakfast?"
EVIDENCE = grounding(sentence(FOUND, ROOMS), sentence(FOUND, MEALS))
PIECES = assemble(QUERY, FOUND, 10_000, PLATFORM).pieces
QUOTED = quotes(EVIDENCE.sentences, FOUND, PIECES)
QUOTES = f"“{ROOMS}” [1]\n\n“{MEALS}” [2]"


def check(*pieces: str, strict: bool = False) -> tuple[list[Said], Answered]:
    checked = Checked(QUERY, PIECES, EVIDENCE, QUOTED, strict)
    said = [one for piece in pieces for one in checked.feed(piece)]
    said += checked.rest()
    return said, checked.answered("writer", Usage(3, 2))


def answered(text: str, strict: bool = False) -> Answered:
    return check(text, strict=strict)[1]


def codes(whole: Answered) -> list[str]:
    return [notice.code for notice in whole.notices]


def test_a_supported_answer_stays_as_it_is_and_its_citations_are_the_very_words() -> None:
    text = f"A hotel room costs up to 140 euros a night [1]. {MEALS} [2]"
    whole = answered(text)
    assert (whole.text, whole.model, whole.usage, whole.notices) == (
        text,
        "writer",
        Usage(3, 2),
        (),
    )
    assert whole.confidence == pytest.approx(0.8)
    assert [(one.n, one.quote) for one in whole.citations] == [(1, ROOMS), (2, MEALS)]
    first, second = whole.citations
    assert first.answer == Span(0, text.index(MEALS) - 1)
    assert second.answer == Span(text.index(MEALS), len(text))
    assert second.span == Span(50 + FOUND[1].text.index(MEALS), 50 + len(FOUND[1].text))


def test_markers_of_sources_that_there_are_not_are_taken_out() -> None:
    whole = answered(f"{ROOMS[:-1]} [7]. {MEALS[:-1]} [2, 9].")
    assert whole.text == f"{ROOMS} {MEALS[:-1]} [2]."
    assert [(one.n, one.quote) for one in whole.citations] == [(1, ROOMS), (2, MEALS)]
    assert whole.notices == ()
    assert answered(f"{ROOMS} See `a[0]` [1].").text == f"{ROOMS} See `a[0]` [1]."


def test_a_sentence_that_cites_nothing_is_cited_from_the_source_that_holds_it() -> None:
    whole = answered(MEALS)
    assert (whole.text, whole.notices) == (MEALS, ())
    assert [(one.n, one.quote) for one in whole.citations] == [(2, MEALS)]


def test_a_sentence_must_be_in_what_it_cites() -> None:
    whole = answered(f"{MEALS[:-1]} [2]. {ROOMS[:-1]} [2].")
    assert codes(whole) == ["NOT_GROUNDED"]
    assert "number" in whole.notices[0].message
    assert whole.confidence == pytest.approx(0.4)
    assert [one.quote for one in whole.citations] == [MEALS]


WRONG = "A hotel room costs up to 150 euros a night [1]."


def test_what_is_not_supported_is_told_or_strictly_left_out() -> None:
    text = f"{ROOMS[:-1]} [1]. {WRONG} {MEALS[:-1]} [2]."
    told, strict = answered(text), answered(text, strict=True)
    assert told.text == text
    assert codes(told) == codes(strict) == ["NOT_GROUNDED"]
    assert "150" in told.notices[0].message
    assert "left out" not in told.notices[0].message
    assert strict.text == text.replace(f"{WRONG} ", "")
    assert "left out" in strict.notices[0].message
    for whole in (told, strict):
        for one in whole.citations:
            assert one.answer is not None
            assert whole.text[slice(*one.answer)].endswith(f"[{one.n}].")


def test_what_has_nothing_to_do_with_the_question_is_not_supported_by_a_source() -> None:
    assert answered(f"{ROOMS} {LUNCH}", strict=True).text == ROOMS


def test_that_is_told_even_of_a_single_word() -> None:
    assert codes(answered(f"Lasagne! {ROOMS}")) == ["NOT_GROUNDED"]
    assert codes(answered(f"Sure! {ROOMS}")) == []


def test_a_list_keeps_its_lines_when_one_is_left_out() -> None:
    text = f"Here it is:\n\n- {ROOMS}\n- {WRONG}\n\n{MEALS}"
    assert answered(text, strict=True).text == f"Here it is:\n\n- {ROOMS}\n\n{MEALS}"


@pytest.mark.parametrize(
    "link",
    [
        "https://evil.example/",
        "![x](http://evil.example/?q=140)",
        "[1](javascript:evil)",
        "[2](<//evil.example/?q= hotel>)",
        "<mailto:evil@evil.example>",
        "www.evil.example",
        "<img src=//evil.example/140>",
        "<a href='evil'>here</a>",
        "![x][evil]\n\n[evil]: //evil.example",
    ],
)
def test_a_link_that_no_source_has_is_never_sent(link: str) -> None:
    whole = answered(f"{ROOMS} A hotel costs 140 euros: {link}")
    assert not re.search(r"evil[.:'@]|//|:evil", whole.text)
    assert codes(whole) == ["NOT_GROUNDED"]
    assert "evil" not in whole.notices[0].message


def test_headings_need_no_source() -> None:
    text = f"# Costs of Travelling 2025\n\n{ROOMS}"
    assert (answered(text, strict=True).text, answered(text).notices) == (text, ())


@pytest.mark.parametrize("begin", ["# ", "The documents do not say it, but ", "They do not tell: "])
def test_neither_a_heading_nor_not_knowing_is_a_cloak_for_what_no_source_says(begin: str) -> None:
    other = f"{begin}staff hands passwords of the vault over to the crew of a vendor"
    assert answered(f"{ROOMS}\n\n{other}", strict=True).text == ROOMS
    assert codes(answered(f"{ROOMS}\n\n{other}")) == ["NOT_GROUNDED"]
    assert answered(other).text == QUOTES


@pytest.mark.parametrize("strict", [False, True])
def test_the_opposite_of_a_source_is_told_apart_even_in_the_questions_own_words(
    strict: bool,
) -> None:
    opposite = "Breakfast in a hotel is paid for [2]."
    assert answered(opposite, strict=strict).text == QUOTES
    assert codes(answered(f"{ROOMS} {opposite}", strict=strict)) == ["NOT_GROUNDED"]


def test_very_many_sentences_are_judged_only_as_long_as_there_is_time() -> None:
    with time_limit(0), pytest.raises(DeadlineExceeded):
        answered(f"{ROOMS} " * 9)


def test_a_source_that_only_shares_a_word_with_a_sentence_is_not_cited_for_it() -> None:
    whole = answered(f"{ROOMS[:-1]} [1][2].")
    assert [(one.n, one.quote) for one in whole.citations] == [(1, ROOMS)]
    both = answered(f"{ROOMS[:-1]}, but breakfast is not [1][2].")
    assert [(one.n, one.quote) for one in both.citations] == [(1, ROOMS), (2, MEALS)]


def test_where_nothing_is_supported_the_quotes_are_the_answer() -> None:
    for text in (WRONG, "Lions sleep all day in the shade.", "Yes.", "42", "Of meals. " * 9):
        said, whole = check(text)
        assert [one for one in said if one.kept] == []
        assert whole.text == QUOTES
        assert (whole.model, whole.usage) == ("extractive", Usage(3, 2))
        assert "NOT_GROUNDED" in codes(whole)


def test_an_answer_that_neither_cites_nor_uses_the_sources_ignores_them() -> None:
    assert codes(answered("Lions sleep all day.")) == ["CONTEXT_IGNORED", "NOT_GROUNDED"]
    assert codes(answered("Lions sleep all day [1].")) == ["NOT_GROUNDED"]


def test_a_writer_who_says_that_the_sources_do_not_tell_is_believed() -> None:
    for text in ("The documents do not say.", "I cannot find that in the sources.\n"):
        whole = answered(text)
        assert (whole.text, whole.confidence, whole.notices) == (text.strip(), 0, ())
    mixed = answered(f"{ROOMS} The sources do not mention flights.", strict=True)
    assert mixed.text.endswith("flights.")
    assert answered("The documents do not say, but it is 99 euros.").text == QUOTES


def test_nothing_is_sent_before_the_first_sentence_that_is_supported() -> None:
    checked = Checked(QUERY, PIECES, EVIDENCE, QUOTED, False)
    assert list(checked.feed(f"Sure! {WRONG} ")) == []
    sent = list(checked.feed(f"{ROOMS} And so it goes on and on, and on."))
    assert [one.text for one in sent] == ["Sure!", f" {WRONG}", f" {ROOMS}"]
    assert [bool(one.reasons) for one in sent] == [False, True, False]


def test_without_sources_or_quotes_there_is_nothing_to_say() -> None:
    checked = Checked(QUERY, [], grounding(), [], False)
    (said,) = [*checked.feed(ROOMS), *checked.rest()]
    assert (said.text, said.kept) == (ROOMS, False)
    assert checked.answered("writer", Usage()).text == NOTHING


def test_what_is_not_held_by_the_sources_can_be_counted_of_any_text() -> None:
    checked = Checked(QUERY, PIECES, EVIDENCE, (), False)
    said = [*checked.feed(f"{ROOMS} {WRONG} Lions sleep all day. Yes."), *checked.rest()]
    assert len(said) == 4
    assert checked.unsupported == 2


TEXTS = st.lists(
    st.sampled_from([ROOMS, f"{ROOMS[:-1]} [1].", MEALS, f"{MEALS} [2]", WRONG, "日本。", "Yes. "])
    | st.sampled_from(["[9] ", "\n\n", "- ", " ", "```\n", "They do not say. ", "http://x.y "]),
    max_size=12,
).map("".join)


@given(TEXTS, st.lists(st.integers(0, 500)), st.booleans())
def test_what_is_sent_is_the_answer_however_it_arrives(
    text: str, cuts: list[int], strict: bool
) -> None:
    places = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    said, whole = check(*(text[a:b] for a, b in pairwise(places)), strict=strict)
    assert whole == answered(text, strict)
    sent = [one for one in said if one.kept]
    if sent:
        assert "".join(one.text for one in sent) == whole.text
        assert tuple(citation for one in sent for citation in one.citations) == whole.citations
    documents = {one.ref.document: " " * one.stored.chunk.start + one.text for one in FOUND}
    for one in whole.citations:
        assert documents[one.document.id][slice(*one.span)] == one.quote
        assert one.answer is not None
        sentence = whole.text[slice(*one.answer)]
        assert f"[{one.n}]" in sentence or "[" not in sentence
    assert 0 <= whole.confidence <= 0.8
    if strict:
        assert WRONG not in whole.text
