"""v3 with OpenAI's API in the slots of the language model and of the embedding model."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

import httpx
import pytest

from rag.adapters.openai.answerer import OpenAIAnswerer
from rag.adapters.openai.client import connect
from rag.adapters.openai.retries import Retries
from tests.conftest import Server
from tests.loopback import OpenAIApi

FACT = "Hotel rooms are paid up to 140 euros a night."
DOCUMENT = {"source": "handbook", "path": "/t", "title": "Travel", "text": f"Book early. {FACT}"}
QUESTION = "What are hotel rooms paid?"


@pytest.fixture
def server(start: Callable[..., Server], openai_api: OpenAIApi) -> Server:
    return start(answerer=openai_api.answerer(), embedder=openai_api.embedder())


@pytest.fixture
def http(server: Server, openai_api: OpenAIApi) -> httpx.Client:
    """A server that has learned one document."""
    answer = server.http.post("/api/rag/ingest", json=DOCUMENT)
    assert answer.json()["status"] == "created", answer.text
    openai_api.loopback.requests.clear()
    return server.http


def ask(http: httpx.Client, content: str = QUESTION, **more: Any) -> httpx.Response:
    body = {"messages": [{"role": "user", "content": content}], "useRag": True, **more}
    return http.post("/api/chat", json=body)


def is_unavailable(answer: httpx.Response, code: str) -> bool:
    body = answer.json()
    return (answer.status_code, body["error"], body["code"]) == (503, "Service unavailable", code)


def test_answers_are_written_from_the_documents(http: httpx.Client, openai_api: OpenAIApi) -> None:
    reply = ask(http, system="Be brief.").json()
    assert reply["data"]["message"] == f"{FACT} (Travel)"
    assert reply["ragSources"][0]["title"] == "Travel"
    [body] = openai_api.sent("chat/completions")
    system = body["messages"][0]
    assert system["role"] == "system"
    assert FACT in system["content"]
    assert system["content"].endswith("Be brief.")


def test_a_conversation_is_continued(http: httpx.Client, openai_api: OpenAIApi) -> None:
    id = ask(http).json()["data"]["conversationId"]
    reply = ask(http, "And when should I book?", conversationId=id).json()
    assert reply["data"]["conversationId"] == id
    roles = [message["role"] for message in openai_api.sent("chat/completions")[-1]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]


def test_without_rag_it_is_plain_chat(http: httpx.Client, openai_api: OpenAIApi) -> None:
    assert "no context" in ask(http, useRag=False).json()["data"]["message"]
    assert not openai_api.sent("embeddings")


def test_model_and_options_are_passed_on(http: httpx.Client, openai_api: OpenAIApi) -> None:
    options = {"temperature": 0.2, "num_predict": 3, "top_p": None}
    assert ask(http, model="extractive-mini", options=options).status_code == 200
    [body] = openai_api.sent("chat/completions")
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("extractive-mini", 0.2, 3)
    assert "top_p" not in body


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"options": {"num_ctx": 4096}}, "options.num_ctx"),
        ({"options": {"temperature": 9}}, "options.temperature"),
        ({"model": "gpt-unheard-of"}, "model"),
    ],
)
def test_what_the_caller_can_mend_is_named(
    http: httpx.Client, more: dict[str, Any], field: str
) -> None:
    answer = ask(http, **more)
    assert answer.status_code == 400
    assert answer.json()["error"] == "Validation error"
    assert answer.json()["details"]["field"] == field


def test_without_word_states_the_order_of_the_search_stands(http: httpx.Client) -> None:
    other = {**DOCUMENT, "path": "/r", "title": "Rust", "text": "Rust has a borrow checker."}
    assert http.post("/api/rag/ingest", json=other).status_code == 200
    for _ in range(2):  # the second is answered from the cache
        found = http.post("/api/rag/search", json={"query": QUESTION}).json()["results"]
        assert [one["metadata"]["title"] for one in found] == ["Travel", "Rust"]
        assert found[0]["score"] > 0.5 > found[1]["score"]


def test_without_a_language_model_answers_are_quoted_all_the_same(
    start: Callable[..., Server], openai_api: OpenAIApi
) -> None:
    http = start(embedder=openai_api.embedder()).http
    assert http.post("/api/rag/ingest", json=DOCUMENT).status_code == 200
    assert FACT in ask(http).json()["data"]["message"]


def test_a_document_sent_again_is_not_embedded_again(
    http: httpx.Client, openai_api: OpenAIApi
) -> None:
    again = http.post("/api/rag/ingest", json={**DOCUMENT, "tags": ["new"]})
    assert again.json()["status"] == "unchanged"
    assert not openai_api.sent("embeddings")


def test_the_log_tells_how_many_tokens_were_used(server: Server, http: httpx.Client) -> None:
    used = server.line(ask(http))["usage"]
    assert set(used) == {"questions", "prompt_tokens", "completion_tokens", "embedding_tokens"}
    assert all(count > 0 for count in used.values())


@pytest.mark.parametrize("kind", ["429", "500", "drop"])
def test_what_passes_is_waited_out(http: httpx.Client, openai_api: OpenAIApi, kind: str) -> None:
    openai_api.fail(kind, times=3, path="/v1/chat")
    openai_api.fail(kind, times=3, path="/v1/embeddings")
    assert ask(http).json()["data"]["message"] == f"{FACT} (Travel)"


@pytest.mark.parametrize("kind", ["429", "500", "400", "drop", "malformed"])
def test_a_language_model_that_fails_is_a_503_and_it_recovers(
    http: httpx.Client, openai_api: OpenAIApi, kind: str
) -> None:
    id = ask(http).json()["data"]["conversationId"]
    openai_api.fail(kind, times=4, path="/v1/chat")
    assert is_unavailable(ask(http, "Lost?", conversationId=id), "GENERATION_FAILED")
    openai_api.loopback.faults.clear()
    assert ask(http, conversationId=id).json()["data"]["message"] == f"{FACT} (Travel)"
    contents = [one["content"] for one in openai_api.sent("chat/completions")[-1]["messages"]]
    assert "Lost?" not in contents


@pytest.mark.parametrize("kind", ["429", "500", "400", "drop", "malformed"])
def test_an_embedding_model_that_fails_is_a_503_and_it_recovers(
    http: httpx.Client, openai_api: OpenAIApi, kind: str
) -> None:
    other = {**DOCUMENT, "path": "/r", "title": "Rust", "text": "Rust has a borrow checker."}
    for path, body in (
        ("/api/rag/ingest", other),
        ("/api/rag/search", {"query": "borrow"}),
        ("/api/chat", {"message": "borrow", "useRag": True}),
    ):
        openai_api.fail(kind, times=4, path="/v1/embeddings")
        assert is_unavailable(http.post(path, json=body), "EMBEDDING_FAILED")
        openai_api.loopback.faults.clear()
    assert len(http.get("/api/rag/documents").json()["documents"]) == 1
    assert http.post("/api/rag/ingest", json=other).json()["status"] == "created"
    found = http.post("/api/rag/search", json={"query": "borrow"}).json()["results"]
    assert found[0]["metadata"]["title"] == "Rust"


def test_a_vendor_that_hangs_is_left_before_the_gateway_cuts_in(
    start: Callable[..., Server], openai_api: OpenAIApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag.wire.route.SECONDS_PER_REQUEST", 1.0)
    # A busy machine must not have the route give up before the adapter does.
    monkeypatch.setattr("rag.wire.route.GRACE_SECONDS", 10.0)
    patient = Retries(timeout=50)
    server = start(
        answerer=openai_api.answerer(retries=patient), embedder=openai_api.embedder(retries=patient)
    )
    for path, body, code in (
        ("/api/chat", {"message": "hi"}, "GENERATION_FAILED"),
        ("/api/chat", {"message": "hi", "useRag": True}, "EMBEDDING_FAILED"),
        ("/api/rag/search", {"query": "hi"}, "EMBEDDING_FAILED"),
        ("/api/rag/ingest", DOCUMENT, "EMBEDDING_FAILED"),
    ):
        openai_api.fail("slow", seconds=40)
        started = monotonic()
        assert is_unavailable(server.http.post(path, json=body), code)
        assert monotonic() - started < 20
    assert server.http.get("/api/rag/documents").json()["documents"] == []


def test_a_vendor_that_is_not_there_is_a_503(start: Callable[..., Server]) -> None:
    with connect("key", "http://127.0.0.1:9/v1") as client:
        answerer = OpenAIAnswerer(client, "m", Retries(first_wait=0.001))
        answer = start(answerer=answerer).http.post("/api/chat", json={"message": "hi"})
    assert is_unavailable(answer, "GENERATION_FAILED")
