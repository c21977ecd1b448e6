"""Conversations: a head that names the owner, and the messages in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rag.clock import Clock, iso, ulid
from rag.model import Message
from rag.ports import Equals, Item, Items, Put, Update
from rag.stores import layout

# What one transaction can add to a conversation, with the answer and the head.
MOST_MESSAGES = 98


@dataclass(frozen=True, slots=True)
class Turn:
    """What one request adds: the new messages, the answer, and what the answer was made from."""

    messages: Sequence[Message]
    answer: Message
    model: str
    rag_used: bool = False
    rag_sources: Sequence[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation of one user, with its messages in their order."""

    id: str
    owner: str
    model: str
    rag_used: bool
    rag_sources: tuple[dict[str, Any], ...]
    created_at: str
    updated_at: str
    messages: tuple[Message, ...]


class Conversations:
    """All conversations of all orgs; every call names the org and the owner."""

    def __init__(self, items: Items, clock: Clock) -> None:
        self._items = items
        self._clock = clock

    def get(self, org: str, owner: str, id: str) -> Conversation | None:
        """The conversation, if it is this owner's."""
        head = self._items.get(layout.conversation(org, id))
        if head is None or head["owner"] != owner:
            return None
        key = layout.message(org, id, "")
        rows = self._items.query(key.pk, key.sk)
        return _conversation(head, [Message(item["role"], item["content"]) for _, item in rows])

    def start(self, org: str, owner: str, turn: Turn) -> str:
        """Keep a new conversation and return its id."""
        now = self._clock()
        id = f"conv_{ulid(now)}"
        # The head goes last: without it nobody sees the messages, however many there are.
        self._items.write_many(self._messages(org, id, 0, turn))
        head = {"id": id, "owner": owner, "createdAt": iso(now), **_state(turn, iso(now))}
        self._items.write(Put(layout.conversation(org, id), head))
        return id

    def extend(self, org: str, owner: str, id: str, position: int, turn: Turn) -> None:
        """Add at most MOST_MESSAGES and an answer behind the first `position` messages.
        Raises ConditionFailed if the conversation is gone."""
        head = Update(
            layout.conversation(org, id),
            set=_state(turn, iso(self._clock())),
            when=Equals("owner", owner),
        )
        self._items.write(head, *self._messages(org, id, position, turn))

    def _messages(self, org: str, id: str, position: int, turn: Turn) -> list[Put]:
        # Of two turns at once, both are kept, one after the other: names end in a turn's own.
        name = ulid(self._clock())
        return [
            Put(
                layout.message(org, id, f"{position:08d}#{name}#{number:04d}"),
                {"role": one.role, "content": one.content},
            )
            for number, one in enumerate([*turn.messages, turn.answer])
        ]


def _state(turn: Turn, now: str) -> Item:
    return {
        "model": turn.model,
        "ragUsed": turn.rag_used,
        "ragSources": [dict(source) for source in turn.rag_sources],
        "updatedAt": now,
    }


def _conversation(head: Item, messages: Sequence[Message]) -> Conversation:
    return Conversation(
        id=head["id"],
        owner=head["owner"],
        model=head["model"],
        rag_used=head["ragUsed"],
        rag_sources=tuple(head["ragSources"]),
        created_at=head["createdAt"],
        updated_at=head["updatedAt"],
        messages=tuple(messages),
    )
