from __future__ import annotations

from pathlib import Path

import pytest

from rag.adapters.embedded.minilm import MiniLM
from rag.errors import IndexMismatch
from rag.identity import LOCAL_OWNER
from rag.ingest.reembed import UNFINISHED, reembed
from rag.model import Draft, Search
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings


class Renamed(MiniLM):
    """The same model under another name."""

    model = "another-model"

    def __init__(self, minilm: MiniLM) -> None:
        self.__dict__ = minilm.__dict__


def test_an_index_of_another_model_is_refused_until_it_is_made_anew(
    tmp_path: Path, minilm: MiniLM
) -> None:
    settings = Settings(data_dir=tmp_path)
    footnote = bootstrap(settings, embedder=minilm)
    for org in ("local", "acme"):
        footnote.ingestion.ingest(org, Draft("s", "/p", "Newts", "Newts live in ponds."))
    before = footnote.querying.retrieve(LOCAL_OWNER, Search("newts"))

    with pytest.raises(IndexMismatch, match="make reembed"):
        bootstrap(settings, embedder=Renamed(minilm)).ready()
    work = reembed(footnote.documents, footnote.querying.index, Renamed(minilm))
    next(work)
    with pytest.raises(IndexMismatch, match=UNFINISHED):  # it died half-way
        bootstrap(settings, embedder=Renamed(minilm)).ready()
    done = list(reembed(footnote.documents, footnote.querying.index, Renamed(minilm)))
    assert len(done) == 2

    after = bootstrap(settings, embedder=Renamed(minilm)).querying.retrieve(
        LOCAL_OWNER, Search("newts")
    )
    assert [(one.text, one.score) for one in after.excerpts] == [
        (one.text, one.score) for one in before.excerpts
    ]
    with pytest.raises(IndexMismatch):
        bootstrap(settings, embedder=minilm).ready()
