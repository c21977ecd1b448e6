"""What a reader has selected: first in the prompt, held against, and part of no source."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from infra.local.openai_writer import Order
from rag.adapters.embedded.minilm import MiniLM
from rag.answering import SELECTED, Answered
from rag.model import Excerpt, Search
from rag.query.answer import answer, asking
from rag.query.assemble import assemble
from rag.query.directs import directs
from rag.query.inquiry import Inquiry
from rag.query.layouts import PLATFORM
from rag.query.selection import Beside, about, beside, selected
from tests.answerers import ORDERS, Saying, Writing
from tests.excerpts import asked
from tests.passages import excerpt, grounding, sentence

SELECTION = "The chain of a robot has many degrees of freedom (DOF)."
# What nobody can tell from what a text tells is a part of what its reader has selected.
KNOWN = [order for order in ORDERS if directs(order.text)]
OTHER = "Robots walk on two legs through the house."


def answered(writer: Saying | Writing, selection: str, query: str, *found: Excerpt) -> Answered:
    layout = Beside(selected(selection), PLATFORM)
    grounded = beside(grounding(outcome="abstain", gaps=("Nothing was found.",)))
    assembled = assemble(query, found, 4_000, layout)
    ask = asking(assembled, grounded, Inquiry(Search(query)))
    *_, whole = answer(writer, ask, query, assembled, grounded, ())
    assert isinstance(whole, Answered)
    return whole


@pytest.mark.parametrize("score", [0.2, 1.0])
def test_it_stands_before_all_documents_which_are_numbered_from_one(score: float) -> None:
    layout = Beside(selected(SELECTION), PLATFORM)
    found = [excerpt(OTHER, score=score), excerpt("Newts sleep.", id="e", score=0.1)]
    prompt = assemble("Explain this", found, 4_000, layout)
    assert [piece.n for piece in prompt.pieces] == [SELECTED, 1, 2]
    assert prompt.prompt.index(SELECTION) < prompt.prompt.index(OTHER)


def test_a_document_that_says_the_same_is_no_repetition_of_it() -> None:
    layout = Beside(selected(SELECTION), PLATFORM)
    prompt = assemble("Explain this", [excerpt(SELECTION)], 4_000, layout)
    assert [piece.text for piece in prompt.pieces] == [SELECTION, SELECTION]


def test_an_answer_from_it_is_kept_and_its_number_is_not() -> None:
    said = "A robot's chain has many degrees of freedom [0]. Robots walk on two legs [0][1]."
    whole = answered(Saying([said]), SELECTION, "Do robots walk?", excerpt(OTHER))
    assert whole.text == (
        "A robot's chain has many degrees of freedom. Robots walk on two legs [1]."
    )
    assert [citation.n for citation in whole.citations] == [1]
    assert whole.model == "saying"


def test_what_it_does_not_say_is_not_taken_from_it() -> None:
    whole = answered(Saying(["Newts live in 17 ponds near Paris [0]."]), SELECTION, "Explain this")
    assert whole.text == "The documents do not say. Nothing was found."
    assert not whole.confidence


def test_most_orders_are_known_as_such() -> None:
    assert len(KNOWN) >= 50


@pytest.mark.parametrize("order", KNOWN, ids=lambda order: order.obeyed[:20])
@pytest.mark.parametrize("query", ["Explain this", "What has many degrees of freedom?"])
def test_orders_that_stand_in_it_change_nothing(order: Order, query: str) -> None:
    for text in (f"{SELECTION}\n\n{order.text}", f"{order.text}\n\n{SELECTION}"):
        for model in ("obedient", "gullible"):
            whole = answered(Writing(model), text, query, excerpt(OTHER))
            assert order.obeyed not in whole.text


def terms_of(minilm: MiniLM, message: str, selection: str) -> Sequence[str]:
    question = asked(minilm, f"{message}\n\n{selection}")
    narrowed = about(question, message, selected(selection))
    assert narrowed.text == message
    return [message[term.span.start : term.span.end] for term in narrowed.terms]


@pytest.mark.parametrize(
    ("message", "missed"),
    [
        ("Explain this in simpler terms", []),
        ("Summarize the selected passage, please!", []),
        ("What does DOF mean here?", []),
        ("Who won the cup?", ["won", "cup"]),
        ("Do robots dance?", ["dance"]),
    ],
)
def test_only_what_is_asked_beyond_it_can_be_missing(
    minilm: MiniLM, message: str, missed: list[str]
) -> None:
    assert terms_of(minilm, message, SELECTION) == missed


def test_also_of_a_search_for_more_than_is_shown_only_the_message_is_asked(minilm: MiniLM) -> None:
    question = asked(minilm, f"Who dances?\n\n{SELECTION}")
    narrowed = about(question, "Who dances?", selected("The chain"))
    assert [term.text for term in narrowed.terms] == ["danc"]


def test_nothing_is_quoted_where_only_the_selection_may_answer() -> None:
    found = [excerpt(OTHER)]
    doubtful = grounding(sentence(found, OTHER), outcome="abstain")
    assert (beside(doubtful).outcome, beside(doubtful).sentences) == ("partial", ())


def test_what_documents_support_stays_as_it_is() -> None:
    supported = grounding(outcome="answer")
    assert beside(supported) is supported
