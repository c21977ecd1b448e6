"""POST /api/v1/chat with `Accept: text/event-stream`: the same answer, in events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.wire import route
from rag.wire.widget.accept import wants_events
from tests.conftest import Server
from tests.wire.platform.questions import events
from tests.wire.platform.writers import Writer
from tests.wire.widget.pages import EXAMPLE_1, EXAMPLE_2, Pages, question

EVENTS = "text/event-stream"
FIRST, SECOND = "Embodied AI has a physical presence [1].", "Robots are such systems [1]."
LONG = "Whatever else there may be to say of it, nobody knows that."


def comparable(body: dict[str, Any]) -> dict[str, Any]:
    """Without what no two answers have in common."""
    metadata = {**body["metadata"], "tokens_used": None}
    times = {name: None for name in metadata if name.endswith("_ms")}
    return {**body, "metadata": {**metadata, **times}, "answer_id": None}


@pytest.mark.parametrize("writer", [None, Writer(*f"{FIRST} {SECOND}")])
@pytest.mark.parametrize(
    "body",
    [EXAMPLE_1, EXAMPLE_2, question("Who was the emperor of Rome?")],
    ids=["answer", "selection", "refusal"],
)
@pytest.mark.parametrize("streamed_first", [True, False])
def test_events_tell_what_is_told_at_once(
    start: Callable[..., Server], writer: Writer | None, body: Any, streamed_first: bool
) -> None:
    pages = Pages(start(answerer=writer))
    answers = {}
    for accept in (EVENTS, "application/json") if streamed_first else ("application/json", EVENTS):
        answers[accept] = pages.send(body, accept)
    streamed, buffered = answers[EVENTS], answers["application/json"].json()
    assert streamed.headers["cache-control"] == "no-store"
    *chunks, sources, complete = events(streamed)
    assert chunks
    assert {one["type"] for one in chunks} == {"chunk"}
    assert "".join(one["text"] for one in chunks) == buffered["answer"]
    assert sources == {"type": "sources", "sources": buffered["sources"]}
    assert complete.pop("type") == "complete"
    assert comparable(complete) == comparable(buffered)


def test_sentences_are_sent_as_they_are_written(start: Callable[..., Server]) -> None:
    pages = Pages(start(answerer=Writer(*f"{FIRST} {SECOND}")))
    chunks = [one["text"] for one in events(pages.send(EXAMPLE_1, EVENTS)) if "text" in one]
    assert chunks == [FIRST, f" {SECOND}"]
    again = [one["text"] for one in events(pages.send(EXAMPLE_1, EVENTS)) if "text" in one]
    assert "".join(again) == "".join(chunks)
    assert len(again) == 2


def test_an_answer_that_breaks_off_ends_with_an_error(start: Callable[..., Server]) -> None:
    pages = Pages(start(answerer=Writer(f"{FIRST} {SECOND} {LONG}", breaks_off=True)))
    *before, last = events(pages.send(EXAMPLE_1, EVENTS))
    assert {one["type"] for one in before} == {"chunk"}
    told = {
        "code": "SERVICE_UNAVAILABLE",
        "message": "RAG service is temporarily unavailable",
        "details": {"retry_after": 30},
    }
    assert last == {"type": "error", "error": told}
    buffered = pages.send(EXAMPLE_1)
    assert (buffered.status_code, buffered.json()) == (503, {"error": told})
    assert buffered.headers["retry-after"] == "30"


def test_what_fails_before_the_first_sentence_is_no_stream(start: Callable[..., Server]) -> None:
    pages = Pages(start(answerer=Writer(breaks_off=True)))
    answer = pages.send(EXAMPLE_1, EVENTS)
    assert answer.status_code == 503
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("accept", ["application/json", EVENTS])
def test_a_visitor_is_told_in_time_whatever_is_stuck(
    start: Callable[..., Server], monkeypatch: pytest.MonkeyPatch, accept: str
) -> None:
    pages = Pages(start(answerer=Writer(FIRST)))
    monkeypatch.setattr(route, "SECONDS_PER_REQUEST", 0.0)
    answer = pages.send(EXAMPLE_1, accept)
    assert answer.status_code == 503
    assert answer.json()["error"]["details"] == {"retry_after": 30}


@pytest.mark.parametrize(
    ("accept", "wanted"),
    [
        ("text/event-stream", True),
        ("Text/Event-Stream; q=0.5, */*;q=0.1", True),
        ("application/json, text/event-stream", True),
        ("application/json;q=0.9, text/event-stream;q=0.5", False),
        ("text/event-stream;q=0", False),
        ("text/event-stream;q=x", False),
        ("text/event-stream;q=nan", False),
        ("*/*", False),
        ("text/*", False),
        ("application/json", False),
        ("", False),
        (",;,=", False),
        ("text/event-stream; q*=1; q*0=2", True),
    ],
)
def test_events_are_for_who_asks_for_them_by_name(accept: str, wanted: bool) -> None:
    assert wants_events(accept) is wanted


@given(st.text(st.sampled_from("text/evn-srmq*=01.;,\"' "), max_size=60))
def test_no_accept_header_is_too_odd_to_be_read(odd: str) -> None:
    assert wants_events(f"{EVENTS};{odd}") in (True, False)
