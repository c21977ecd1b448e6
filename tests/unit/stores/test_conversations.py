from __future__ import annotations

import pytest

from rag.errors import ConditionFailed
from rag.model import Message
from rag.ports import Items
from rag.stores.conversations import Conversations, Turn
from tests.conftest import Clock

SOURCE = {"text": "t", "score": 0.5, "source": "s", "title": "T", "documentId": "d"}


@pytest.fixture
def conversations(items: Items, clock: Clock) -> Conversations:
    return Conversations(items, clock)


def turn(*said: str, answer: str = "answer", **more: object) -> Turn:
    messages = [Message("user", text) for text in said]
    return Turn(messages, Message("assistant", answer), "model", **more)  # type: ignore[arg-type]


def test_a_conversation_keeps_its_messages_and_the_fields_of_the_contract(
    conversations: Conversations, clock: Clock
) -> None:
    id = conversations.start("o", "ann", turn("one", "two", rag_used=True, rag_sources=[SOURCE]))
    clock.now -= 3600  # a clock that is set back does not change the order
    conversations.extend("o", "ann", id, 3, turn("three", answer="more"))
    kept = conversations.get("o", "ann", id)
    assert kept is not None
    assert [message.content for message in kept.messages] == [
        "one",
        "two",
        "answer",
        "three",
        "more",
    ]
    assert (kept.rag_used, kept.rag_sources) == (False, ())


def test_the_sources_of_the_latest_answer_are_kept(conversations: Conversations) -> None:
    id = conversations.start("o", "ann", turn("one", rag_used=True, rag_sources=[SOURCE]))
    kept = conversations.get("o", "ann", id)
    assert kept is not None
    assert (kept.rag_used, kept.rag_sources) == (True, (SOURCE,))


def test_nobody_else_sees_or_extends_a_conversation(conversations: Conversations) -> None:
    id = conversations.start("o", "ann", turn("one"))
    for org, owner in (("o", "bob"), ("p", "ann")):
        assert conversations.get(org, owner, id) is None
        with pytest.raises(ConditionFailed):
            conversations.extend(org, owner, id, 2, turn("two"))
    kept = conversations.get("o", "ann", id)
    assert kept is not None
    assert len(kept.messages) == 2
