"""Answers written by a language model behind OpenAI's chat completions."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, TypeVar

from rag.adapters.openai.client import within
from rag.adapters.openai.options import translated
from rag.adapters.openai.retries import UNREADABLE, Retries, reason
from rag.adapters.openai.written import LONGEST, counted, readable
from rag.errors import FootnoteError, GenerationFailed, Invalid
from rag.model import Ask, Message, Reply, Usage

if TYPE_CHECKING:
    from openai import OpenAI, Stream
    from openai.types.chat import ChatCompletion, ChatCompletionChunk

T = TypeVar("T")

WHO = "The language model"


class OpenAIAnswerer:
    """Writes with the model that the caller names, or else with the deployment's."""

    name = "openai"

    def __init__(self, client: OpenAI, model: str, retries: Retries | None = None) -> None:
        self._client = client
        self._model = model
        self._retries = retries or Retries()

    def answer(self, ask: Ask) -> Reply:
        """The whole answer at once."""
        request = self._request(ask)

        def send(seconds: float) -> Reply:
            created = self._client.chat.completions.create(**request, timeout=within(seconds))
            return _reply(created, request["model"])

        return self._call(ask, send)

    def stream(self, ask: Ask) -> Generator[str, None, Reply]:
        """The answer in pieces. Until the first is there, failures are met as for `answer`."""
        request = self._request(ask)

        def send(seconds: float) -> Generator[str, None, Reply]:
            stream = self._client.chat.completions.create(
                **request,
                stream=True,
                stream_options={"include_usage": True},
                timeout=within(seconds),
            )
            pieces = _pieces(stream, request["model"])
            return _joined(next(pieces), pieces)

        return self._call(ask, send)

    def _request(self, ask: Ask) -> dict[str, Any]:
        system = [Message("system", ask.system)] if ask.system else []
        return {
            **translated(ask.options),
            "model": ask.model or self._model,
            "messages": [
                {"role": message.role, "content": message.content}
                for message in [*system, *ask.messages]
            ],
        }

    def _call(self, ask: Ask, send: Callable[[float], T]) -> T:
        from openai import NotFoundError

        try:
            return self._retries.call(GenerationFailed, WHO, send)
        except GenerationFailed as failed:
            # A model that only the caller has named is the caller's to mend.
            if ask.model not in (None, self._model) and isinstance(failed.__cause__, NotFoundError):
                raise Invalid("model", "there is no such language model here") from failed
            raise


def _reply(created: ChatCompletion, model: str) -> Reply:
    message = created.choices[0].message
    text = readable(message.content or message.refusal or "")[:LONGEST]
    if not text:
        raise GenerationFailed(f"{WHO} wrote nothing.")
    return Reply(text, created.model or model, counted(created.usage))


def _pieces(stream: Stream[ChatCompletionChunk], model: str) -> Generator[str, None, Reply]:
    written, finished, used = "", False, Usage()
    with stream:
        for chunk in stream:
            model = chunk.model or model
            if chunk.usage is not None:
                used = counted(chunk.usage)
            for choice in chunk.choices[:1]:
                finished = finished or choice.finish_reason is not None
                piece = readable(choice.delta.content or choice.delta.refusal or "")
                if piece := piece[: LONGEST - len(written)]:
                    written += piece
                    yield piece
            if len(written) == LONGEST:
                finished = True
                break
    if not finished:
        raise GenerationFailed(f"{WHO} broke off.")
    if not written:
        raise GenerationFailed(f"{WHO} wrote nothing.")
    return Reply(written, model, used)


def _joined(first: str, rest: Generator[str, None, Reply]) -> Generator[str, None, Reply]:
    """What has begun cannot be tried again: it is told that it failed."""
    from openai import OpenAIError

    yield first
    try:
        return (yield from rest)
    except FootnoteError:
        raise
    except OpenAIError as error:
        raise GenerationFailed(f"{WHO} {reason(error)}.") from error
    except Exception as error:
        raise GenerationFailed(f"{WHO} {UNREADABLE}.") from error
