"""The loopback server is what OpenAI publishes that its API is."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import numpy as np
import openai
import pytest

from rag.model import Ask, Message
from tests.loopback import KEY, OpenAIApi

SPECS = Path(os.environ.get("SPECS_DIR", Path(__file__).parents[3] / "shared/data/specs"))
DOCUMENT = SPECS / "openai.openapi.json"

published = pytest.mark.skipif(not DOCUMENT.exists(), reason="OpenAI's document is not here")

HEADERS = {"Authorization": f"Bearer {KEY}"}
HELLO = {"model": "extractive", "messages": [{"role": "user", "content": "Hello"}]}


@cache
def document() -> Any:
    return _without_nullable(json.loads(DOCUMENT.read_text()))


def _without_nullable(node: Any) -> Any:
    """The document says it is OpenAPI 3.1, and in places speaks 3.0, which had `nullable`."""
    if isinstance(node, list):
        return [_without_nullable(one) for one in node]
    if not isinstance(node, dict):
        return node
    plain = {key: _without_nullable(value) for key, value in node.items() if key != "nullable"}
    return {"anyOf": [plain, {"type": "null"}]} if node.get("nullable") is True else plain


def check(value: Any, schema: str) -> None:
    """Hold a value to a schema of the document."""
    whole = {"$ref": f"#/components/schemas/{schema}", "components": document()["components"]}
    jsonschema.Draft202012Validator(whole).validate(value)


@pytest.fixture
def http(openai_api: OpenAIApi) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=openai_api.url, headers=HEADERS, timeout=30) as client:
        yield client


def events(http: httpx.Client, body: dict[str, Any]) -> list[str]:
    answer = http.post("/v1/chat/completions", json={**body, "stream": True})
    assert answer.headers["content-type"].startswith("text/event-stream")
    return [line.removeprefix("data: ") for line in answer.text.split("\n\n") if line]


# As the document has it


@published
def test_our_requests_are_as_published(openai_api: OpenAIApi) -> None:
    options = {"temperature": 0.5, "top_p": 1, "seed": 1, "stop": ["x"], "num_predict": 50}
    ask = Ask((Message("user", "Hi"), Message("assistant", "Ho")), "Be brief.", options=options)
    openai_api.answerer().answer(ask)
    list(openai_api.answerer().stream(ask))
    openai_api.embedder().embed(["one", "two"])
    bodies = openai_api.sent("chat/completions")
    assert len(bodies) == 2
    for body in bodies:
        check(body, "CreateChatCompletionRequest")
    [body] = openai_api.sent("embeddings")
    check(body, "CreateEmbeddingRequest")


@published
def test_answers_are_as_published(http: httpx.Client) -> None:
    check(http.get("/v1/models").json(), "ListModelsResponse")
    check(http.post("/v1/chat/completions", json=HELLO).json(), "CreateChatCompletionResponse")
    for text in ("one", ["one", "two"]):
        body = {"model": "all-MiniLM-L6-v2", "input": text}
        check(http.post("/v1/embeddings", json=body).json(), "CreateEmbeddingResponse")
    for event in events(http, {**HELLO, "stream_options": {"include_usage": True}})[:-1]:
        check(json.loads(event), "CreateChatCompletionStreamResponse")


@published
@pytest.mark.parametrize("kind", ["400", "429", "500"])
def test_errors_are_as_published(http: httpx.Client, openai_api: OpenAIApi, kind: str) -> None:
    openai_api.fail(kind)
    check(http.get("/v1/models").json(), "ErrorResponse")
    check(http.post("/v1/embeddings", json={}).json(), "ErrorResponse")
    check(http.get("/v1/nowhere").json(), "ErrorResponse")
    check(httpx.get(f"{openai_api.url}/v1/models").json(), "ErrorResponse")


@published
def test_the_check_itself_can_fail() -> None:
    with pytest.raises(jsonschema.ValidationError):
        check({"object": "list"}, "ListModelsResponse")


# As its users expect it


def test_a_key_is_needed_and_any_will_do(openai_api: OpenAIApi) -> None:
    for headers in ({}, {"Authorization": "Basic x"}, {"Authorization": "Bearer"}):
        answer = httpx.get(f"{openai_api.url}/v1/models", headers=headers)
        assert answer.status_code == 401
        assert answer.json()["error"]["code"] == "invalid_api_key"


def test_numbers_and_their_bytes_are_the_same_vector(http: httpx.Client) -> None:
    found = []
    for encoding in ("float", "base64"):
        body = {"model": "all-MiniLM-L6-v2", "input": "one", "encoding_format": encoding}
        found.append(http.post("/v1/embeddings", json=body).json()["data"][0]["embedding"])
    assert len(found[0]) == 384
    assert np.allclose(np.frombuffer(base64.b64decode(found[1]), "<f4"), found[0])


def test_shorter_vectors_are_unit_vectors_too(openai_api: OpenAIApi) -> None:
    made = openai_api.client.embeddings.create(model="all-MiniLM-L6-v2", input="one", dimensions=64)
    vector = made.data[0].embedding
    assert (len(vector), np.linalg.norm(vector)) == (64, pytest.approx(1, abs=1e-5))
    with pytest.raises(openai.BadRequestError):
        openai_api.client.embeddings.create(model="all-MiniLM-L6-v2", input="one", dimensions=999)


def test_a_stream_is_the_answer_in_pieces_then_its_usage_if_wanted_then_done(
    http: httpx.Client,
) -> None:
    whole = http.post("/v1/chat/completions", json=HELLO).json()
    *chunks, done = events(http, HELLO)
    assert done == "[DONE]"
    choices = [json.loads(chunk)["choices"][0] for chunk in chunks]
    pieces = [choice["delta"].get("content", "") for choice in choices]
    assert "".join(pieces) == whole["choices"][0]["message"]["content"]
    assert [choice["finish_reason"] for choice in choices][-2:] == [None, "stop"]
    *_, last, done = events(http, {**HELLO, "stream_options": {"include_usage": True}})
    assert json.loads(last)["usage"] == whole["usage"]
    assert json.loads(last)["choices"] == []


def test_limits_and_stops_are_kept(http: httpx.Client) -> None:
    cut = http.post("/v1/chat/completions", json={**HELLO, "max_tokens": 2}).json()
    assert cut["choices"][0]["finish_reason"] == "length"
    assert cut["usage"]["completion_tokens"] == 2
    stopped = http.post("/v1/chat/completions", json={**HELLO, "stop": " given"}).json()
    assert stopped["choices"][0]["message"]["content"] == "I was"


def test_faults_can_be_told_over_http_and_forgotten(http: httpx.Client) -> None:
    fault = {"kind": "429", "retry_after": "7", "times": 2, "path": "/v1/chat"}
    assert http.post("/faults", json=fault).status_code == 204
    assert http.get("/v1/models").status_code == 200
    refused = http.post("/v1/chat/completions", json=HELLO)
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "7")
    assert http.delete("/faults").status_code == 204
    assert http.post("/v1/chat/completions", json=HELLO).status_code == 200


def test_models_that_are_not_there_are_not_found(http: httpx.Client) -> None:
    for path, body in (("chat/completions", HELLO), ("embeddings", {"input": "one"})):
        answer = http.post(f"/v1/{path}", json={**body, "model": "nope"})
        assert (answer.status_code, answer.json()["error"]["param"]) == (404, "model")
