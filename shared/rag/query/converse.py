"""A chat request: continue the conversation → answer → keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rag.errors import ConditionFailed, Invalid, NotFound
from rag.model import Ask, Excerpt, Message, Principal, Search, Where
from rag.stores.conversations import MOST_MESSAGES, Conversations, Turn
from rag.timing import stage as timed

if TYPE_CHECKING:  # requests are read before it is known that they need it
    from rag.query.pipeline import Querying

PREVIEW = 200


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What the caller says, and whether documents are to be consulted."""

    messages: tuple[Message, ...]
    conversation_id: str | None = None
    system: str = ""
    model: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    use_rag: bool = False
    top_k: int = 5
    where: Where = ()


@dataclass(frozen=True, slots=True)
class ChatReply:
    """The answer, the conversation that now holds it, and the excerpts it could draw on."""

    text: str
    conversation_id: str
    rag_used: bool
    excerpts: tuple[Excerpt, ...]


@dataclass(frozen=True, slots=True)
class Chat:
    """Answers messages, with or without documents, and remembers conversations."""

    querying: Querying
    conversations: Conversations

    def reply(self, caller: Principal, request: ChatRequest) -> ChatReply:
        """Answer the last user message. Nothing is kept of a request that fails."""
        question = _last_user_message(request.messages)
        history = self._history(caller, request.conversation_id)
        new = _beyond(history, request.messages)
        if request.conversation_id is not None and len(new) > MOST_MESSAGES:
            raise Invalid("messages", f"messages must add at most {MOST_MESSAGES} new ones")
        ask = Ask((*history, *new), request.system, model=request.model, options=request.options)
        excerpts: tuple[Excerpt, ...] = ()
        if request.use_rag:
            search = Search(question, request.top_k, where=request.where)
            reply, excerpts = self.querying.converse(caller, search, ask)
        else:
            reply = self.querying.written(ask)
        turn = Turn(
            messages=new,
            answer=Message("assistant", reply.text),
            model=reply.model,
            rag_used=request.use_rag,
            rag_sources=[source_preview(excerpt) for excerpt in excerpts],
        )
        with timed("keep"):
            id = self._keep(caller, request.conversation_id, len(history), turn)
        return ChatReply(reply.text, id, request.use_rag, excerpts)

    def _history(self, caller: Principal, id: str | None) -> tuple[Message, ...]:
        if id is None:
            return ()
        conversation = self.conversations.get(caller.org, caller.sub, id)
        if conversation is None:
            raise _no_conversation(id)
        return conversation.messages

    def _keep(self, caller: Principal, id: str | None, position: int, turn: Turn) -> str:
        if id is None:
            return self.conversations.start(caller.org, caller.sub, turn)
        try:
            self.conversations.extend(caller.org, caller.sub, id, position, turn)
        except ConditionFailed as gone:
            raise _no_conversation(id) from gone
        return id


def source_preview(excerpt: Excerpt) -> dict[str, Any]:
    """A source as it is kept with a conversation."""
    place = {"page": excerpt.page, "section": excerpt.section}
    return {
        "text": excerpt.text[:PREVIEW],
        "score": excerpt.score,
        "source": excerpt.document.source,
        "title": excerpt.document.title,
        "documentId": excerpt.document.id,
        **{name: value for name, value in place.items() if value is not None},
    }


def _last_user_message(messages: Sequence[Message]) -> str:
    for message in reversed(messages):
        if message.role == "user" and message.content.strip():
            return message.content
    raise Invalid("messages", "messages must contain a user message")


def _beyond(history: Sequence[Message], messages: Sequence[Message]) -> tuple[Message, ...]:
    """What of the messages is new: clients send only that, or with some or all of the history."""
    for overlap in range(min(len(history), len(messages)), 0, -1):
        if tuple(history[-overlap:]) == tuple(messages[:overlap]) and overlap < len(messages):
            return tuple(messages[overlap:])
    return tuple(messages)


def _no_conversation(id: str) -> NotFound:
    return NotFound(f"There is no conversation {id[:100]}.")
