"""Embedding through OpenAI's API: what is sent, and what is believed."""

from __future__ import annotations

import json
from time import monotonic
from typing import Any

import numpy as np
import pytest

from infra.local.openai_server import OpenAILoopback
from rag import timing, tokens, usage
from rag.adapters.embedded.minilm import MiniLM
from rag.errors import DeadlineExceeded, EmbeddingFailed
from tests.loopback import KEY, OpenAIApi, serving

SECRET = "Strictly confidential."


def answer(*vectors: list[Any], first: int = 0) -> str:
    data = [
        {"object": "embedding", "index": index, "embedding": vector}
        for index, vector in enumerate(vectors, first)
    ]
    return json.dumps({"object": "list", "model": "m", "data": data})


def test_vectors_may_come_in_any_order_and_length(openai_api: OpenAIApi) -> None:
    rows = json.loads(answer([3.0, 4.0], [0.0, 2.0]))
    rows["data"].reverse()
    openai_api.fail("malformed", body=json.dumps(rows))
    first, second = openai_api.embedder("m", dimension=2).embed(["a", "b"])
    assert np.allclose(first.vector, [0.6, 0.8])
    assert np.allclose(second.vector, [0, 1])
    assert first.states is None


@pytest.mark.parametrize(
    "body",
    [
        answer([1.0, 0.0]),
        answer([1.0, 0.0], [1.0, 0.0], [1.0, 0.0]),
        answer([1.0, 0.0], [1.0, 0.0], first=1),
        answer([1.0, 0.0], [1.0]),
        answer([1.0, 0.0, 0.0], [1.0, 0.0, 0.0]),
        answer([1.0, 0.0], [0.0, 0.0]),
        answer([1.0, 0.0], [1.0, None]),
        answer([1.0, 0.0], ["a", "b"]),
        answer([], []),
        answer(),
        '{"data": null}',
        '{"unexpected": true}',
        '"text"',
        "[]",
        "null",
        "",
        "<html>",
    ],
)
def test_an_answer_that_is_not_what_was_asked_for_is_not_believed(
    openai_api: OpenAIApi, body: str
) -> None:
    openai_api.fail("malformed", body=body)
    embedder = openai_api.embedder("m", dimension=2)
    with pytest.raises(EmbeddingFailed) as failed:
        embedder.embed([SECRET, SECRET])
    assert SECRET not in failed.value.message


@pytest.mark.parametrize("kind", ["429", "500", "400", "drop", "malformed"])
def test_failures_hold_neither_text_nor_key(openai_api: OpenAIApi, kind: str) -> None:
    openai_api.fail(kind, times=9)
    with pytest.raises(EmbeddingFailed) as failed:
        openai_api.embedder().embed([SECRET])
    assert SECRET not in failed.value.message
    assert KEY not in failed.value.message
    assert failed.value.__cause__ is not None


def test_many_texts_go_in_batches_that_can_each_be_tried_again(openai_api: OpenAIApi) -> None:
    openai_api.fail("500", times=3)
    texts = [f"number {number}" for number in range(100)]
    with usage.counted() as used:
        found = openai_api.embedder().embed(texts)
    batches = [body["input"] for body in openai_api.sent("embeddings")]
    assert sorted(map(len, batches)) == [25, 25, 25, 25]
    assert sorted(text for batch in batches for text in batch) == sorted(texts)
    assert used["embedding_tokens"] == sum(map(tokens.count, texts))
    alone = openai_api.embedder().embed([texts[77]])[0]
    assert found[77].vector @ alone.vector == pytest.approx(1, abs=1e-5)


def test_one_batch_that_fails_fails_all(openai_api: OpenAIApi) -> None:
    openai_api.fail("400")
    with pytest.raises(EmbeddingFailed):
        openai_api.embedder().embed(["text"] * 100)


def test_the_deadline_holds_on_every_thread(minilm: MiniLM) -> None:
    # On a server of its own: what is sent in the last moment may reach it after this test.
    loopback = OpenAILoopback(minilm)
    with serving(loopback.app) as url:
        api = OpenAIApi(loopback, url)
        api.fail("slow", times=8, seconds=40)
        started = monotonic()
        with timing.time_limit(0.3), pytest.raises((EmbeddingFailed, DeadlineExceeded)):
            api.embedder().embed(["text"] * 100)
        assert monotonic() - started < 20
        api.client.close()


def test_dimensions_of_known_models_are_known_without_asking(openai_api: OpenAIApi) -> None:
    assert openai_api.embedder("text-embedding-3-small").dimension == 1536
    assert openai_api.embedder("text-embedding-3-large").dimension == 3072
    assert openai_api.embedder("text-embedding-ada-002").dimension == 1536
    assert openai_api.embedder("mine", dimension=7).dimension == 7
    assert not openai_api.sent("embeddings")


def test_the_dimension_of_an_unknown_model_is_seen_once(openai_api: OpenAIApi) -> None:
    openai_api.fail("malformed", body=answer([1.0, 2.0, 2.0]))
    embedder = openai_api.embedder("mine")
    assert (embedder.dimension, embedder.dimension) == (3, 3)


@pytest.mark.parametrize(
    ("model", "dimension", "sent"),
    [
        ("text-embedding-3-large", 256, 256),
        ("text-embedding-3-large", 3072, None),
        ("text-embedding-3-large", None, None),
        ("mine", 256, None),
    ],
)
def test_shorter_vectors_are_asked_for_where_the_model_makes_them(
    openai_api: OpenAIApi, model: str, dimension: int | None, sent: int | None
) -> None:
    with pytest.raises(EmbeddingFailed, match="no such model"):
        openai_api.embedder(model, dimension=dimension).embed(["text"])
    assert openai_api.sent("embeddings")[-1].get("dimensions") == sent


def test_windows_are_as_long_as_the_model_reads(openai_api: OpenAIApi) -> None:
    text = "The tide rises and falls. " * 3000
    embedder = openai_api.embedder("text-embedding-3-small")
    windows = embedder.windows(text, "Tides")
    assert len(windows) == 3
    for window in windows:
        whole = f"Tides\n{text[window.start : window.end]}"
        assert tokens.fits(whole, 8191)
    assert len(openai_api.embedder("mine", longest=100).windows(text)) > 150


def test_what_exceeds_the_model_is_not_sent(openai_api: OpenAIApi) -> None:
    openai_api.embedder().embed(["word " * 1000])
    [body] = openai_api.sent("embeddings")
    assert tokens.count(body["input"][0]) <= 192
