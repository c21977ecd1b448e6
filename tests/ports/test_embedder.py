"""What every `Embedder` adapter holds to."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest

from rag.adapters.embedded.minilm import MiniLM
from rag.ports import Embedder
from tests.loopback import OpenAIApi

WILD = [
    "",
    " \n\t",
    "\x00",
    "\ud800 half a pair",
    "x" * 5000,
    "👩\u200d👧" * 400,
    "日本語の文章です。" * 100,
]
LONG = "The tide rises. The tide falls, twice a day, and nobody can tell it to wait. " * 60


@pytest.fixture(params=["minilm", "openai"])
def embedder(request: pytest.FixtureRequest, minilm: MiniLM, openai_api: OpenAIApi) -> Embedder:
    return minilm if request.param == "minilm" else openai_api.embedder()


def test_there_is_one_unit_vector_per_text_in_order(embedder: Embedder) -> None:
    texts = [f"Text number {number}" for number in range(70)]
    together = embedder.embed(texts)
    assert len(together) == len(texts)
    for text, embedding in zip(texts[::10], together[::10], strict=True):
        assert embedding.vector.shape == (embedder.dimension,)
        assert embedding.vector.dtype == np.float32
        assert np.linalg.norm(embedding.vector) == pytest.approx(1, abs=1e-5)
        assert embedder.embed([text])[0].vector @ embedding.vector == pytest.approx(1, abs=1e-5)


def test_what_means_the_same_is_near(embedder: Embedder) -> None:
    cat, kitten, tax = (
        one.vector for one in embedder.embed(["A cat sleeps.", "A kitten naps.", "Tax law."])
    )
    assert cat @ kitten > cat @ tax + 0.2


def test_no_texts_have_no_embeddings(embedder: Embedder) -> None:
    assert embedder.embed([]) == []


@pytest.mark.parametrize("text", WILD, ids=ascii)
def test_any_text_has_a_vector_and_windows(embedder: Embedder, text: str) -> None:
    assert np.isfinite(embedder.embed([text])[0].vector).all()
    assert embedder.windows(text)[-1].end == len(text)


@pytest.mark.parametrize("header", ["", "Tides", "A very long title " * 100])
def test_windows_cover_a_text_without_a_gap(embedder: Embedder, header: str) -> None:
    windows = embedder.windows(LONG, header)
    assert len(windows) > 1
    assert windows[0].start == 0
    assert windows[-1].end == len(LONG)
    assert all(first.end == second.start for first, second in pairwise(windows))


def test_the_end_of_a_window_counts(embedder: Embedder) -> None:
    window = max(embedder.windows(LONG), key=lambda span: span.end - span.start)
    text = LONG[window.start : window.end]
    whole, cut = embedder.embed([text, text[: -len("to wait. ") * 2]])
    assert not np.array_equal(whole.vector, cut.vector)


def test_many_threads_may_embed_at_once(embedder: Embedder) -> None:
    texts = [f"Text number {number}" for number in range(40)]
    expected = np.stack([one.vector for one in embedder.embed(texts)])
    with ThreadPoolExecutor(6) as threads:
        for found in threads.map(lambda _: embedder.embed(texts), range(6)):
            assert np.allclose([one.vector for one in found], expected, atol=1e-5)


def test_it_says_which_model_it_is_and_what_its_values_mean(embedder: Embedder) -> None:
    assert embedder.model == "all-MiniLM-L6-v2"
    assert embedder.calibration.fused.score(1.5, 10) > 0.9
