from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rag.adapters.embedded.late_interaction import LateInteraction
from rag.adapters.embedded.minilm import MiniLM
from rag.answering import Verdict
from rag.errors import Invalid, NoAccessibleSources, NotFound, RerankFailed, Unavailable
from rag.filters import Filter, conditions
from rag.footnote import Footnote
from rag.identity import LOCAL_OWNER
from rag.model import (
    DEFAULT_SOURCE,
    Access,
    Ask,
    Condition,
    Draft,
    Excerpt,
    Found,
    Message,
    Principal,
    Question,
    Search,
    Source,
)
from rag.query import fuse as fusing
from rag.query.inquiry import Inquiry
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings
from rag.stores.sources import Sources
from rag.timing import measured
from tests.answerers import Saying
from tests.conftest import Clock

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


def find(footnote: Footnote, query: str = "Why does a wing lose lift?", **more: Any) -> Found:
    return footnote.querying.retrieve(LOCAL_OWNER, Search(query, **{"top_k": 10, **more}))


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
    found = find(footnote)
    assert paths(found) == paths(expected)
    assert [notice.code for notice in found.notices] == ["RERANK_FAILED"]
    assert expected.notices == ()


def test_what_a_failed_reranker_left_is_not_remembered(
    footnote: Footnote, reranker: Watched
) -> None:
    reranker.fails = True
    find(footnote)
    reranker.fails = False
    assert find(footnote).notices == ()
    assert reranker.calls == 2


def test_a_search_gets_the_deployments_reranker_or_the_one_by_words(
    footnote: Footnote, reranker: Watched
) -> None:
    own = find(footnote, reranker=reranker.name)
    by_words = find(footnote, reranker="lexical")
    assert reranker.calls == 1
    assert {e.score for e in own.excerpts} != {e.score for e in by_words.excerpts}
    with pytest.raises(Invalid, match=f"{reranker.name} or lexical") as refused:
        find(footnote, reranker="another")
    assert refused.value.field == "rerankModel"


def test_all_that_was_found_is_counted_also_from_memory(footnote: Footnote) -> None:
    for found in (find(footnote, top_k=2), find(footnote, top_k=2)):
        assert (len(found.excerpts), found.total, found.notices) == (2, 4, ())
    assert find(footnote, where=(Condition("source", frozenset({"s"}), none=True),)).total == 0


def test_finding_nothing_is_said(footnote: Footnote) -> None:
    for _ in range(2):
        found = find(footnote, min_score=1.0)
        assert (found.excerpts, found.total) == ((), 4)
        assert [notice.code for notice in found.notices] == ["NO_RESULTS"]


def test_a_fresh_search_does_not_ask_the_memory_but_fills_it(
    footnote: Footnote, reranker: Watched
) -> None:
    find(footnote, fresh=True)
    find(footnote, fresh=True)
    assert reranker.calls == 2
    find(footnote)
    assert reranker.calls == 2


def test_only_the_data_sources_asked_for_are_searched(footnote: Footnote) -> None:
    source = footnote.sources.create("local", LOCAL_OWNER.sub, "Mine", Access("personal"))
    text = "A wing loses lift where the flow separates."
    footnote.ingestion.ingest("local", Draft("s", "own", "Own", text, data_source=source.id))
    mine = find(footnote, data_sources=frozenset({source.id}))
    assert (paths(mine), mine.sources) == (["own"], (source.id,))
    everything = find(footnote)
    assert set(everything.sources) == {source.id, DEFAULT_SOURCE}
    assert everything.total == 5
    stranger = Principal("zoe", "local")
    for hidden in (source.id, "src_none"):
        search = Search("lift", data_sources=frozenset({DEFAULT_SOURCE, hidden}))
        with pytest.raises(NotFound, match=hidden):
            footnote.querying.retrieve(stranger, search)
    assert footnote.querying.retrieve(stranger, Search("lift")).sources == (DEFAULT_SOURCE,)


def test_who_may_query_no_data_source_is_told_so_at_once(
    footnote: Footnote, reranker: Watched
) -> None:
    class Closed(Sources):
        """An org whose default source is closed, as no org's is."""

        def all(self, org: str) -> list[Source]:
            return [one for one in super().all(org) if one.id != DEFAULT_SOURCE]

    own = footnote.sources.create("local", LOCAL_OWNER.sub, "Mine", Access("personal"))
    footnote.ingestion.ingest("local", Draft("s", "own", "Own", "Lift.", data_source=own.id))
    querying = replace(footnote.querying, sources=Closed(footnote.parts.items, Clock()))
    inquiry = Inquiry(Search("lift"))
    for ask in (querying.retrieve, lambda caller, _: querying.query(caller, inquiry)):
        with pytest.raises(NoAccessibleSources):
            ask(Principal("zoe", "local"), inquiry.search)
    assert reranker.calls == 0
    assert paths(querying.retrieve(LOCAL_OWNER, inquiry.search)) == ["own"]


def test_filters_narrow_a_search_to_what_passes(footnote: Footnote) -> None:
    for year in (2019, 2024):
        footnote.ingestion.ingest(
            "local", Draft("s", str(year), "Lift", f"Lift in {year}.", metadata={"year": year})
        )
    late = conditions([Filter("year", "gt", 2020)])
    assert paths(find(footnote, where=late)) == ["2024"]
    other = conditions([Filter("year", "ne", 2024), Filter("title", "in", ["Lift", "Wings"])])
    assert set(paths(find(footnote, where=other))) == {"2019", "wings"}
    footnote.ingestion.ingest(
        "local", Draft("s", "2024", "Lift", "Lift in 2024.", metadata={"year": 1999})
    )
    assert paths(find(footnote, where=late)) == []


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


def test_a_conversation_pays_no_second_judge(footnote: Footnote) -> None:
    class Asked:
        name = "asked"

        def judge(self, question: str, texts: Sequence[str]) -> Verdict:
            raise AssertionError((question, texts))

    querying = replace(footnote.querying, answerer=Saying([TEXTS["wings"]]), judge=Asked())
    ask = Ask((Message("user", "What grows with its angle?"),))
    reply, shown = querying.converse(LOCAL_OWNER, Search("What grows with its angle?"), ask)
    assert reply.text == TEXTS["wings"]
    assert shown


def test_every_stage_is_timed(footnote: Footnote) -> None:
    with measured() as stages:
        find(footnote)
    assert set(stages) == {"cache", "retrieve", "fuse", "read", "rerank"}
