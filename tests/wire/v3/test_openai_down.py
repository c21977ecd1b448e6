"""Every route with OpenAI's API failing in one of its two slots, and back again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conftest import Server
from tests.loopback import OpenAIApi
from tests.ordeal import ROUTES, WORKS, Ordeal

VISITS = ("visit", "visit stream")
ANSWERS = ("chat", "ask", "go on", "query", "stream", *VISITS)
EMBEDS = ("create", "replace", "search", "retrieve", "query", "stream", "ask", "go on", *VISITS)
SLOTS = {
    "/v1/chat": {name: "GENERATION_FAILED" if name in ANSWERS else WORKS for name in ROUTES},
    "/v1/embeddings": {name: "EMBEDDING_FAILED" if name in EMBEDS else WORKS for name in ROUTES},
}


@pytest.mark.parametrize("path", SLOTS)
@pytest.mark.parametrize("kind", ["429", "500", "400", "drop", "malformed"])
def test_what_needs_the_model_is_a_503_and_it_recovers(
    start: Callable[..., Server], openai_api: OpenAIApi, path: str, kind: str
) -> None:
    server = start(answerer=openai_api.answerer(), embedder=openai_api.embedder())
    Ordeal(server).undergo(
        SLOTS[path],
        lambda: openai_api.fail(kind, times=4, path=path),
        openai_api.loopback.faults.clear,
    )
