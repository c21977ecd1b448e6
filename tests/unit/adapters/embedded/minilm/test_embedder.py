"""Vectors are those of the published model, whatever else is embedded at the time."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rag.adapters.embedded.minilm import MiniLM

# Computed from the published weights in double precision, without quantisation.
REFERENCE = json.loads(Path(__file__).with_name("reference.json").read_text())
TEXTS = [entry["text"] for entry in REFERENCE]
WILD = [
    "",
    " \n\t",
    "\x00",
    "a\x00b\x1b\x7f",
    "\ud800 half a pair",
    "x" * 5000,
    "👩‍👩‍👧‍👦" * 400,
    "日本語の文章です。" * 100,
    "e\u0301\u0301\u0301" * 300,
    "\u202e\ufeff\u200d",
]


@pytest.mark.parametrize("entry", REFERENCE, ids=["short", "medium", "full"])
def test_vectors_are_those_of_the_published_model(minilm: MiniLM, entry: dict[str, Any]) -> None:
    [embedding] = minilm.embed([entry["text"]])
    assert embedding.vector @ np.array(entry["vector"], np.float32) > 0.99


def test_a_text_has_the_same_embedding_alone_and_among_others(minilm: MiniLM) -> None:
    together = minilm.embed(TEXTS)
    alone = [minilm.embed([text])[0] for text in TEXTS]
    for first, second in zip(together, alone, strict=True):
        assert np.array_equal(first.vector, second.vector)
        assert first.states == second.states


def test_many_threads_may_embed_at_once(minilm: MiniLM) -> None:
    expected = [embedding.vector for embedding in minilm.embed(TEXTS)]
    with ThreadPoolExecutor(8) as threads:
        for found in threads.map(lambda _: minilm.embed(TEXTS), range(16)):
            assert np.array_equal([embedding.vector for embedding in found], expected)


@pytest.mark.parametrize("text", WILD, ids=ascii)
def test_any_text_has_a_unit_vector(minilm: MiniLM, text: str) -> None:
    [embedding] = minilm.embed([text])
    assert embedding.vector.shape == (minilm.dimension,)
    assert embedding.vector.dtype == np.float32
    assert np.linalg.norm(embedding.vector) == pytest.approx(1, abs=1e-5)
    assert minilm.windows(text)[-1].end == len(text)


def test_no_texts_have_no_embeddings(minilm: MiniLM) -> None:
    assert minilm.embed([]) == []


def test_what_exceeds_the_model_is_left_out(minilm: MiniLM) -> None:
    full, longer = minilm.embed(["word " * 254, "word " * 254 + "and so much more"])
    assert np.array_equal(full.vector, longer.vector)


def test_marks_of_the_model_are_text_in_a_document(minilm: MiniLM) -> None:
    marked, spaced = minilm.embed(["[SEP] [CLS]", "[ SEP ] [ CLS ]"])
    assert np.array_equal(marked.vector, spaced.vector)
