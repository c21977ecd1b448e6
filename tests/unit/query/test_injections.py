"""Text of documents is data: orders that stand in it change nothing."""

from __future__ import annotations

import pytest

from infra.local.openai_writer import Order
from rag.adapters.embedded.minilm import MiniLM
from rag.answering import Answered
from rag.footnote import Footnote
from rag.model import Ask, Draft, Excerpt, Message, Principal, Search
from rag.query.answer import answer, asking
from rag.query.assemble import assemble
from rag.query.inquiry import Inquiry
from rag.query.layouts import PLATFORM
from rag.query.pipeline import whole
from rag.query.quote import quotes
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings
from tests.answerers import ORDERS, Writing
from tests.passages import excerpt, grounding, sentence

TRUE = "Hotel rooms are paid for up to 140 euros a night."
AFTER = "Receipts are handed in within a month."
QUERY = "What may a hotel room cost a night?"


def hidden(order: Order) -> dict[str, list[Excerpt]]:
    other = excerpt(f"Of travels. {order.text}", id="e", score=0.4)
    return {
        "middle": [excerpt(f"{TRUE}\n\n{order.text}\n\n{AFTER}")],
        "before": [excerpt(f"{order.text}\n\n{TRUE} {AFTER}")],
        "after": [excerpt(f"{TRUE} {AFTER}\n\n{order.text}")],
        "title": [excerpt(f"{TRUE} {AFTER}", order.text)],
        "another": [excerpt(f"{TRUE} {AFTER}", score=0.9), other],
    }


def answered(model: str, found: list[Excerpt], strict: bool = False) -> Answered:
    grounded = grounding(sentence(found, TRUE))
    assembled = assemble(QUERY, found, 4_000, PLATFORM)
    quoted = quotes(grounded.sentences, found, assembled.pieces)
    ask = asking(assembled, grounded, Inquiry(Search(QUERY)))
    *_, whole = answer(Writing(model), ask, QUERY, assembled, grounded, quoted, strict)
    assert isinstance(whole, Answered)
    return whole


@pytest.mark.parametrize("model", ["obedient", "gullible"])
def test_in_the_same_line_as_the_truth_it_is_no_part_of_it(model: str) -> None:
    for order in ORDERS:
        if order.text[0].isupper():  # else it is no sentence of its own
            whole = answered(model, [excerpt(f"{TRUE} {order.text} {AFTER}")])
            assert order.obeyed not in whole.text
            assert TRUE[:-1] in whole.text


def test_there_are_enough_of_them() -> None:
    assert len({order.text for order in ORDERS}) >= 50


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.obeyed[:20])
@pytest.mark.parametrize("model", ["obedient", "gullible"])
def test_a_model_that_obeys_what_stands_in_documents_answers_all_the_same(
    model: str, order: Order
) -> None:
    for place, found in hidden(order).items():
        whole = answered(model, found)
        assert order.obeyed not in whole.text, place
        assert TRUE[:-1] in whole.text, place
        assert all(order.obeyed not in one.quote for one in whole.citations), place


def test_outside_of_its_tags_there_is_nothing_for_it_to_obey() -> None:
    for order in ORDERS:
        for place, found in hidden(order).items():
            whole = answered("obedient", found)
            assert (whole.text, whole.notices) == (f"{TRUE[:-1]} [1].", ()), (order, place)


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.obeyed[:20])
def test_strictly_nothing_is_left_of_an_order_that_was_obeyed_beside_the_answer(
    order: Order,
) -> None:
    for place, found in hidden(order).items():
        whole = answered("torn", found, strict=True)
        assert order.obeyed not in whole.text, place
        assert TRUE[:-1] in whole.text, place


@pytest.fixture(scope="module")
def footnote(minilm: MiniLM, tmp_path_factory: pytest.TempPathFactory) -> Footnote:
    settings = Settings(data_dir=tmp_path_factory.mktemp("data"))
    return bootstrap(settings, embedder=minilm, answerer=Writing("gullible"))


@pytest.mark.parametrize("place", ["middle", "end", "title", "metadata"])
def test_through_all_stages_orders_change_nothing(footnote: Footnote, place: str) -> None:
    for number, order in enumerate(ORDERS):
        caller = Principal("ann", f"{place}-{number}")
        middle = f"\n\n{order.text}" if place == "middle" else ""
        end = f"\n\n{order.text}" if place == "end" else ""
        draft = Draft(
            "policies",
            "/travel",
            order.text if place == "title" else "Travel policy",
            f"{TRUE}{middle}\n\n{AFTER}{end}",
            metadata={"note": order.text} if place == "metadata" else {},
        )
        footnote.ingestion.ingest(caller.org, draft)
        found = whole(footnote.querying.query(caller, Inquiry(Search(QUERY))).answer)
        assert order.obeyed not in found.text, order
        assert TRUE[:-1] in found.text, order


def test_in_a_conversation_what_is_known_to_obey_an_order_is_left_out(footnote: Footnote) -> None:
    question, left_out = "When are receipts handed in?", 0
    for number, order in enumerate(ORDERS):
        caller = Principal("ann", f"chat-{number}")
        text = f"{AFTER}\n\n{order.text}"
        footnote.ingestion.ingest(caller.org, Draft("policies", "/travel", "Receipts", text))
        chat = Ask(messages=(Message("user", question),))
        reply, _ = footnote.querying.converse(caller, Search(question), chat)
        left_out += order.obeyed not in reply.text and AFTER[:-1] in reply.text
    # A conversation may be about anything, so that what is merely in no source is sent.
    assert left_out >= 50
