from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from rag.adapters.embedded.late_interaction import LateInteraction
from rag.adapters.embedded.minilm import MiniLM
from rag.errors import RerankFailed, Unavailable
from rag.footnote import Footnote
from rag.identity import LOCAL_OWNER
from rag.model import Draft, Excerpt, Found, Question, Search
from rag.query import fuse as fusing
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings
from rag.timing import measured

TEXTS = {
    "wings": "The lift of a wing grows with its angle until the flow separates.",
    "boundary": "Where the flow separates from the surface, drag rises and lift is lost.",
    "music": "The wing of the palace where music was played had a high ceiling.",
    "ponds": "Newts live in ponds and eat larvae.",
}


class Watched(LateInteraction):
    """Late interaction that counts its calls and can fail or turn the order round."""

    def __init__(self) -> None:
        self.calls, self.fails, self.reverses = 0, False, False

    def rerank(self, question: Question, excerpts: Sequence[Excerpt]) -> list[float]:
        self.calls += 1
        if self.fails:
            raise RerankFailed("down")
        values = super().rerank(question, excerpts)
        return [-10 * value for value in values] if self.reverses else values


@pytest.fixture
def reranker() -> Watched:
    return Watched()


@pytest.fixture
def footnote(tmp_path: Path, minilm: MiniLM, reranker: Watched) -> Footnote:
    footnote = bootstrap(Settings(data_dir=tmp_path), embedder=minilm, reranker=reranker)
    for title, text in TEXTS.items():
        footnote.ingestion.ingest("local", Draft("s", title, title.title(), text))
    return footnote


def find(footnote: Footnote, query: str = "Why does a wing lose lift?", **more: bool) -> Found:
    return footnote.querying.search(LOCAL_OWNER, Search(query, 10, **more))


def paths(found: Found) -> list[str]:
    return [excerpt.document.path for excerpt in found.excerpts]


def test_the_reranker_decides_the_order(footnote: Footnote, reranker: Watched) -> None:
    plain = paths(find(footnote, "lift of a wing"))
    reranker.reverses = True
    assert paths(find(footnote, "the lift of a wing")) != plain
    assert plain[0] == "wings"


def test_without_rerank_nothing_is_reranked(footnote: Footnote, reranker: Watched) -> None:
    scores = [excerpt.score for excerpt in find(footnote, rerank=False).excerpts]
    assert reranker.calls == 0
    assert scores == sorted(scores, reverse=True)


def test_a_reranker_that_fails_leaves_the_order_as_it_was(
    footnote: Footnote, reranker: Watched
) -> None:
    expected = find(footnote, rerank=False)
    reranker.fails = True
    assert paths(find(footnote)) == paths(expected)


def test_the_same_search_again_is_answered_from_memory_until_the_corpus_changes(
    footnote: Footnote, reranker: Watched
) -> None:
    first, again = find(footnote), find(footnote)
    assert reranker.calls == 1
    assert [(e.ref, e.score) for e in again.excerpts] == [(e.ref, e.score) for e in first.excerpts]
    assert again.question.terms == first.question.terms
    footnote.ingestion.ingest("local", Draft("s", "new", "New", "Wings and lift."))
    assert "new" in paths(find(footnote))
    assert reranker.calls == 2


def test_a_cache_that_is_down_harms_nothing(
    footnote: Footnote, reranker: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(*_: object) -> None:
        raise Unavailable("down")

    expected = paths(find(footnote))
    monkeypatch.setattr(footnote.querying.rankings._items.__class__, "write", down)
    assert paths(find(footnote, "Why does a wing lose lift")) == expected


def test_the_best_hits_draw_the_question_towards_what_is_like_them(
    footnote: Footnote, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = {e.document.path: e.score for e in find(footnote, rerank=False).excerpts}
    monkeypatch.setattr(fusing, "GUIDES", 0)
    alone = {
        e.document.path: e.score
        for e in find(footnote, "Why does a wing lose lift", rerank=False).excerpts
    }
    assert drawn["boundary"] > alone["boundary"]


def test_every_stage_is_timed(footnote: Footnote) -> None:
    with measured() as stages:
        find(footnote)
    assert set(stages) == {"cache", "retrieve", "fuse", "read", "rerank"}
