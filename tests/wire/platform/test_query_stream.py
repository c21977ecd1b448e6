"""POST /api/rag/query with `stream`: the same answer, in events."""

from __future__ import annotations

from collections.abc import Callable, Generator
from threading import Event
from typing import Any

import pytest

from rag import timing
from rag.model import Ask, Reply
from rag.wire import route
from tests.conftest import Server
from tests.wire.platform.questions import (
    QUERY,
    QUESTION,
    UNANSWERABLE,
    asked,
    events,
    refused,
    tell,
)
from tests.wire.platform.writers import Writer

FIRST, SECOND = "Hotel rooms cost up to 140 euros a night [1].", "Breakfast is included [1]."
LONG = "Whatever else there may be to say of it, nobody knows that."


def streamed(server: Server, query: str = QUESTION, **more: Any) -> list[dict[str, Any]]:
    answer = server.http.post(QUERY, json={"query": query, "stream": True, **more})
    assert answer.status_code == 200, answer.text
    return events(answer)


def comparable(body: dict[str, Any]) -> dict[str, Any]:
    """Without what no two runs have in common: how long they took."""
    metadata = {**body["metadata"], "milliseconds": None}
    explain = {**body.get("explain", {}), "milliseconds": None}
    return {**body, "metadata": metadata, "explain": explain}


@pytest.mark.parametrize("writer", [None, Writer(*f"{FIRST} {SECOND}")])
@pytest.mark.parametrize(
    "query", [QUESTION, UNANSWERABLE, "What is booked, and what do newts eat?"]
)
@pytest.mark.parametrize("more", [{}, {"explain": True, "topK": 2}])
def test_the_last_event_is_the_whole_answer(
    start: Callable[..., Server], writer: Writer | None, query: str, more: dict[str, Any]
) -> None:
    server = start(answerer=writer)
    tell(server.http)
    buffered = asked(server.http, query, **more)
    sources, *texts, done = streamed(server, query, **more)
    assert sources == {"type": "sources", "documents": buffered["documents"]}
    assert {event["type"] for event in texts} == {"text"}
    assert "".join(event["text"] for event in texts) == buffered["answer"]
    assert done.pop("type") == "done"
    assert comparable(done) == comparable(buffered)


def test_sentences_are_sent_as_they_are_written(start: Callable[..., Server]) -> None:
    server = start(answerer=Writer(*f"{FIRST} {SECOND} {LONG}"))
    tell(server.http)
    texts = [event["text"] for event in streamed(server) if event["type"] == "text"]
    assert len(texts) > 1
    assert texts[0] == FIRST


def test_an_answer_that_breaks_off_ends_with_an_error(start: Callable[..., Server]) -> None:
    server = start(answerer=Writer(f"{FIRST} {SECOND} {LONG}", breaks_off=True))
    tell(server.http)
    *before, last = streamed(server)
    assert [event["type"] for event in before][:2] == ["sources", "text"]
    assert last == {
        "type": "error",
        "code": "GENERATION_FAILED",
        "message": "The language model broke off.",
    }
    refused(server.http.post(QUERY, json={"query": QUESTION}), 503, "GENERATION_FAILED")


def test_a_mistake_of_ours_ends_a_stream_without_telling_more(
    start: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("secret")

    server = start(answerer=Writer(FIRST))
    tell(server.http)
    monkeypatch.setattr("rag.wire.platform.questions.queried", broken)
    answer = server.http.post(QUERY, json={"query": QUESTION, "stream": True})
    last = events(answer)[-1]
    assert (last["type"], last["code"]) == ("error", "INTERNAL_ERROR")
    assert "secret" not in answer.text
    assert server.line(answer)["failure"]["type"] == "ZeroDivisionError"


def test_the_requests_time_is_the_streams_time_too(
    start: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[float | None] = []

    class Late(Writer):
        """Its time is over once it has written a little."""

        def stream(self, ask: Ask) -> Generator[str, None, Reply]:
            for piece in self.pieces:
                left.append(timing.remaining())
                yield piece
            with monkeypatch.context() as patch:
                patch.setattr(timing, "remaining", lambda: -1.0)
                yield LONG * 2
            return Reply("", "")

    server = start(answerer=Late(f"{FIRST} {LONG} ", f"{LONG} "))
    tell(server.http)
    last = streamed(server)[-1]
    assert all(one is not None and 0 < one <= route.SECONDS_PER_REQUEST for one in left)
    assert len(left) == 2
    assert (last["type"], last["code"]) == ("error", "UNAVAILABLE")
    assert "took too long" in last["message"]


def test_the_line_in_the_log_tells_of_the_whole_stream(start: Callable[..., Server]) -> None:
    server = start(answerer=Writer(*FIRST))
    tell(server.http)
    answer = server.http.post(QUERY, json={"query": QUESTION, "stream": True})
    line = server.line(answer)
    assert (line["status"], line["route"]) == (200, QUERY)
    assert {"retrieve", "assemble", "ground", "answer"} <= set(line["stages"])
    assert line["usage"] == {"questions": 1}


class Endless(Writer):
    """Writes on for as long as somebody reads, and then says that it has stopped."""

    def __init__(self, *pieces: str) -> None:
        super().__init__(*pieces)
        self.stopped = Event()

    def stream(self, ask: Ask) -> Generator[str, None, Reply]:
        try:
            while True:
                yield from self.pieces
        finally:
            self.stopped.set()


def test_who_goes_away_ends_the_writing_is_logged_and_takes_no_thread_along(
    start: Callable[..., Server],
) -> None:
    writer = Endless(f"{FIRST} {LONG} ")
    server = start(answerer=writer)
    tell(server.http)
    for _ in range(50):  # the server has 40 threads
        writer.stopped.clear()
        body = {"query": QUESTION, "stream": True}
        with server.http.stream("POST", QUERY, json=body) as answer:
            assert any(FIRST in line for line in answer.iter_lines())
        assert writer.stopped.wait(10)
        line = server.line(answer)
        assert (line["status"], line["route"]) == (200, QUERY)
        assert "failure" not in line


def test_what_fails_before_the_first_sentence_has_its_status(start: Callable[..., Server]) -> None:
    server = start()
    tell(server.http)
    body = {"query": UNANSWERABLE, "strictMode": True, "stream": True}
    refused(server.http.post(QUERY, json=body), 422, "INSUFFICIENT_CONTEXT")
