"""The model is loaded once."""

from __future__ import annotations

import pytest

from rag.adapters.embedded.minilm import MiniLM


@pytest.fixture(scope="session")
def minilm() -> MiniLM:
    return MiniLM()
