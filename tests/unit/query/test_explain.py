from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rag.adapters.embedded.minilm import MiniLM
from rag.footnote import Footnote
from rag.identity import LOCAL_OWNER
from rag.model import Draft, Hit, Search
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings
from rag.trace import traced

TEXTS = {
    "Wings": "The lift of a wing grows with its angle until the flow separates.",
    "Boundary": "Where the flow leaves a surface, an aircraft falls.",
    "Palace": "The wing of the palace where music was played had a high ceiling.",
}


@pytest.fixture
def footnote(tmp_path: Path, minilm: MiniLM) -> Footnote:
    footnote = bootstrap(Settings(data_dir=tmp_path), embedder=minilm)
    for title, text in TEXTS.items():
        footnote.ingestion.ingest("local", Draft("s", title, title, text))
    return footnote


def nearest(index: Any, many: int) -> Callable[..., list[Hit]]:
    """A search by meaning that reaches only so many, all of them equally close."""
    search = index.nearest
    return lambda *request: [hit._replace(value=0.5) for hit in search(*request)[:many]]


def test_an_explanation_says_which_search_found_each_passage(
    footnote: Footnote, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = footnote.querying.index
    monkeypatch.setattr(index, "nearest", nearest(index, 2))
    with traced() as notes:
        footnote.querying.retrieve(LOCAL_OWNER, Search("Why does a wing lose lift?"))
    for stage in ("retrieve", "fuse"):
        found = {one["title"]: one["foundBy"] for one in notes[stage]["candidates"]}
        assert found == {
            "Wings": ["meaning", "words"],
            "Boundary": ["meaning"],
            "Palace": ["words"],
        }
