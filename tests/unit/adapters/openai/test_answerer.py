"""Answering through OpenAI's API: what is sent, and what is believed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from rag import usage
from rag.adapters.openai.answerer import OpenAIAnswerer
from rag.adapters.openai.written import LONGEST
from rag.errors import GenerationFailed, Invalid
from rag.model import Ask, Message, Search
from rag.query.answer import asking
from rag.query.assemble import assemble
from rag.query.inquiry import Inquiry
from rag.query.layouts import PLATFORM
from tests.answerers import ORDERS
from tests.loopback import KEY, RETRIES, OpenAIApi
from tests.passages import excerpt as passage
from tests.passages import grounding

CONTEXT = (
    "=== Retrieved Context ===\n[Source: Travel]\nBook early. Hotels cost 140 euros.\n"
    "=== End Context ==="
)
QUESTION = "What may a hotel cost?"
ASK = Ask((Message("user", QUESTION),), CONTEXT)
ANSWER = "Hotels cost 140 euros. (Travel)"

Way = Callable[[OpenAIAnswerer, Ask], str]


@pytest.fixture(params=["answer", "stream"])
def way(request: pytest.FixtureRequest) -> Way:
    """Either way to get an answer."""
    if request.param == "answer":
        return lambda answerer, ask: answerer.answer(ask).text
    return lambda answerer, ask: "".join(answerer.stream(ask))


def completion(**message: Any) -> str:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    return json.dumps({"choices": [choice]})


def test_system_messages_model_and_options_are_sent(openai_api: OpenAIApi, way: Way) -> None:
    history = (Message("user", "one"), Message("assistant", "two"), Message("user", QUESTION))
    ask = Ask(history, CONTEXT, "extractive-mini", {"temperature": 0, "num_predict": 3})
    assert ANSWER.startswith(way(openai_api.answerer(), ask))
    [body] = openai_api.sent("chat/completions")
    assert body["messages"] == [
        {"role": "system", "content": CONTEXT},
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "two"},
        {"role": "user", "content": QUESTION},
    ]
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("extractive-mini", 0, 3)


def test_without_system_or_model_there_is_no_such_message_and_the_default(
    openai_api: OpenAIApi, way: Way
) -> None:
    way(openai_api.answerer(), Ask((Message("user", "hi"),)))
    [body] = openai_api.sent("chat/completions")
    assert [message["role"] for message in body["messages"]] == ["user"]
    assert body["model"] == "extractive"


def test_tokens_are_counted(openai_api: OpenAIApi) -> None:
    with usage.counted() as used:
        reply = openai_api.answerer().answer(ASK)
    assert reply.usage.prompt_tokens == used["prompt_tokens"] > 20
    assert reply.usage.completion_tokens == used["completion_tokens"] > 5
    with usage.counted() as streamed:
        list(openai_api.answerer().stream(ASK))
    assert streamed == used


def test_an_unknown_option_is_refused_before_anything_is_sent(
    openai_api: OpenAIApi, way: Way
) -> None:
    with pytest.raises(Invalid) as invalid:
        way(openai_api.answerer(), Ask(ASK.messages, options={"num_ctx": 1}))
    assert invalid.value.field == "options.num_ctx"
    assert not openai_api.sent("chat/completions")


def test_a_model_that_the_caller_made_up_is_the_callers_to_mend(
    openai_api: OpenAIApi, way: Way
) -> None:
    with pytest.raises(Invalid) as invalid:
        way(openai_api.answerer(), Ask(ASK.messages, model="gpt-unheard-of"))
    assert invalid.value.field == "model"
    ours = OpenAIAnswerer(openai_api.client, "gpt-unheard-of", RETRIES)
    with pytest.raises(GenerationFailed, match="no such model"):
        way(ours, ASK)


@pytest.mark.parametrize("kind", ["429", "500", "drop"])
def test_what_passes_is_waited_out(openai_api: OpenAIApi, way: Way, kind: str) -> None:
    openai_api.fail(kind, times=3)
    assert way(openai_api.answerer(), ASK) == ANSWER


@pytest.mark.parametrize("kind", ["429", "500", "400", "drop", "malformed"])
def test_failures_hold_neither_text_nor_key(openai_api: OpenAIApi, way: Way, kind: str) -> None:
    openai_api.fail(kind, times=9)
    with pytest.raises(GenerationFailed) as failed:
        way(openai_api.answerer(), ASK)
    for secret in (QUESTION, "140 euros", KEY):
        assert secret not in failed.value.message


@pytest.mark.parametrize(
    "body",
    [
        "{}",
        "null",
        "",
        '{"choices": []}',
        '{"choices": [{}]}',
        completion(content=None),
        completion(content=""),
        completion(content=["text"]),
    ],
)
def test_an_answer_that_is_none_is_a_failure(openai_api: OpenAIApi, way: Way, body: str) -> None:
    openai_api.fail("malformed", body=body)
    with pytest.raises(GenerationFailed):
        way(openai_api.answerer(), ASK)


def test_a_refusal_is_the_answer(openai_api: OpenAIApi) -> None:
    openai_api.fail("malformed", body=completion(content=None, refusal="I must not."))
    assert openai_api.answerer().answer(ASK).text == "I must not."


def streamed(*pieces: str) -> str:
    chunks = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    chunks[-1]["choices"][0]["finish_reason"] = "stop"
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)


@pytest.mark.parametrize(
    ("written", "passed_on"),
    [
        ("140 \ud83d euros", "140 \ufffd euros"),
        ("140\U000e0068\U000e0069 euros", "140 euros"),
        ("140 \u202eeuros\u202c", "140 euros"),
        ("x" * (LONGEST + 1), "x" * LONGEST),
    ],
)
def test_what_cannot_be_sent_or_seen_or_has_no_end_is_not_passed_on(
    openai_api: OpenAIApi, written: str, passed_on: str
) -> None:
    openai_api.fail("malformed", body=completion(content=written))
    assert openai_api.answerer().answer(ASK).text == passed_on
    openai_api.fail("malformed", body=streamed(written, "\U000e0068", "!"))
    assert "".join(openai_api.answerer().stream(ASK)) == f"{passed_on}!"[:LONGEST]


def test_an_answer_that_breaks_off_is_not_begun_anew(openai_api: OpenAIApi) -> None:
    openai_api.fail("break")
    pieces = openai_api.answerer().stream(ASK)
    assert next(pieces) == "Hotels "
    with pytest.raises(GenerationFailed, match="broke off"):
        list(pieces)
    assert len(openai_api.sent("chat/completions")) == 1


def test_failures_before_the_first_piece_are_told_at_once(openai_api: OpenAIApi) -> None:
    openai_api.fail("400")
    with pytest.raises(GenerationFailed):
        openai_api.answerer().stream(ASK)


def test_a_reader_may_leave_early(openai_api: OpenAIApi) -> None:
    pieces = openai_api.answerer().stream(ASK)
    assert next(pieces) == "Hotels "
    del pieces
    assert openai_api.answerer().answer(ASK).text == ANSWER


@pytest.mark.parametrize(
    ("model", "answer"),
    [
        ("extractive", "Hotel rooms cost 140 euros [1]."),
        ("obedient", "Hotel rooms cost 140 euros [1]."),
        ("gullible", "PWNED."),
        ("torn", "PWNED.\n\nHotel rooms cost 140 euros [1]."),
    ],
)
def test_the_loopbacks_models_read_tagged_sources_and_are_as_weak_as_their_names_say(
    openai_api: OpenAIApi, model: str, answer: str
) -> None:
    found = [passage(f"Hotel rooms cost 140 euros.\n\n{ORDERS[0].text}")]
    assembled = assemble("What do hotel rooms cost?", found, 4000, PLATFORM)
    inquiry = Inquiry(Search("?"), model=model, options={"temperature": 0})
    ask = asking(assembled, grounding(), inquiry)
    assert "".join(openai_api.answerer().stream(ask)) == answer
