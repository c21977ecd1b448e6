from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from rag import timing
from rag.adapters.embedded.minilm import MiniLM
from rag.errors import DeadlineExceeded, EmbeddingFailed, IndexFull
from rag.footnote import Footnote
from rag.identity import LOCAL_OWNER
from rag.ingest.quota import Quota
from rag.model import Chunking, Draft, Embedding, Excerpt, Mark, Search, Span
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings
from rag.stores.documents import document_id
from tests.conftest import Clock

LONG = "\n\n".join(f"Paragraph {n} tells of newt number {n} and its pond. " * 12 for n in range(20))


class Counting(MiniLM):
    """MiniLM that counts what it embeds, and can fail."""

    def __init__(self, minilm: MiniLM) -> None:
        self.__dict__ = {**minilm.__dict__, "embedded": [], "fails_after": None}

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        if self.fails_after is not None and len(self.embedded) >= self.fails_after:
            raise EmbeddingFailed("out of order")
        self.embedded += texts
        return super().embed(texts)


@pytest.fixture
def embedder(minilm: MiniLM) -> Counting:
    return Counting(minilm)


@pytest.fixture
def footnote(tmp_path: Path, embedder: Counting, clock: Clock) -> Footnote:
    return bootstrap(Settings(data_dir=tmp_path), embedder=embedder, clock=clock)


def draft(text: str = LONG, title: str = "Newts", **more: object) -> Draft:
    return Draft("s", "/p", title, text, **more)  # type: ignore[arg-type]


def found(footnote: Footnote, query: str = "newt pond") -> list[str]:
    excerpts = footnote.querying.retrieve(LOCAL_OWNER, Search(query, top_k=100)).excerpts
    return [excerpt.text for excerpt in excerpts]


def test_what_has_not_changed_is_not_embedded_again(footnote: Footnote, embedder: Counting) -> None:
    footnote.ingestion.ingest("local", draft())
    whole = len(embedder.embedded)
    embedder.embedded.clear()
    footnote.ingestion.ingest("local", draft(tags=("new",)))
    assert embedder.embedded == []
    footnote.ingestion.ingest("local", draft(LONG + "\n\nA paragraph more."))
    assert 0 < len(embedder.embedded) < whole / 2
    embedder.embedded.clear()
    footnote.ingestion.ingest("local", draft(LONG + "\n\nA paragraph more.", title="Other"))
    assert len(embedder.embedded) >= whole


def test_reused_embeddings_are_those_of_a_fresh_start(
    footnote: Footnote, minilm: MiniLM, tmp_path: Path
) -> None:
    footnote.ingestion.ingest("local", draft())
    footnote.ingestion.ingest("local", draft(LONG + "\n\nThe end."))
    fresh = bootstrap(Settings(data_dir=tmp_path / "fresh"), embedder=minilm)
    fresh.ingestion.ingest("local", draft(LONG + "\n\nThe end."))
    search = Search("newt number 7", top_k=100)
    results = [
        [
            (one.text, round(one.score, 5))
            for one in app.querying.retrieve(LOCAL_OWNER, search).excerpts
        ]
        for app in (footnote, fresh)
    ]
    assert results[0] == results[1]


def test_a_failure_leaves_the_former_version_as_it_was(
    footnote: Footnote, embedder: Counting
) -> None:
    footnote.ingestion.ingest("local", draft("The old newt."))
    embedder.fails_after = len(embedder.embedded)
    with pytest.raises(EmbeddingFailed):
        footnote.ingestion.ingest("local", draft("The new newt."))
    embedder.fails_after = None
    assert found(footnote) == ["The old newt."]


def test_a_request_that_takes_too_long_is_stopped_and_leaves_nothing(
    footnote: Footnote, embedder: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag.ingest.embed.BATCH", 4)
    passages = lambda: float(len(embedder.embedded))  # noqa: E731 - time goes by in passages
    with pytest.raises(DeadlineExceeded), timing.time_limit(6, clock=passages):
        footnote.ingestion.ingest("local", draft())
    assert len(embedder.embedded) == 8
    assert found(footnote) == []
    assert list(footnote.documents.all("local")) == []


def test_staged_versions_of_others_take_no_places_in_a_search(
    footnote: Footnote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag.query.retrieve.DEPTH", 3)
    for number in range(4):
        text = f"Newt number {number}."
        footnote.ingestion.ingest("local", Draft("s", str(number), "Newts", text))
    with monkeypatch.context() as broken:
        broken.setattr(footnote.documents.__class__, "publish", _die)
        for number in range(20):
            with pytest.raises(RuntimeError):
                footnote.ingestion.ingest("local", Draft("s", f"x{number}", "Newts", "Newt newt."))
    assert sorted(found(footnote, "newt")) == [f"Newt number {number}." for number in range(4)]


def test_a_sweep_leaves_only_what_is_live(footnote: Footnote, clock: Clock) -> None:
    footnote.ingestion.ingest("local", draft("The first newt."))
    footnote.ingestion.ingest("local", draft("The second newt."))
    gone = footnote.ingestion.ingest("local", Draft("s", "/q", "Q", "Gone."))
    footnote.ingestion.delete("local", gone.document_id)
    assert footnote.ingestion.sweep() == 0
    clock.now += 61
    assert footnote.ingestion.sweep() == 2
    assert footnote.ingestion.sweep() == 0
    with footnote.querying.index._database.connection() as connection:  # type: ignore[attr-defined]
        assert connection.execute("SELECT count(*) FROM entries").fetchone() == (1,)
        chunks = connection.execute("SELECT count(*) FROM items WHERE sk LIKE 'CH#%'")
        assert chunks.fetchone() == (1,)
    assert found(footnote) == ["The second newt."]


def _die(*_: object) -> None:
    raise RuntimeError


def test_a_document_is_cut_as_its_draft_says_also_when_only_that_is_new(
    footnote: Footnote,
) -> None:
    whole = footnote.ingestion.ingest("local", draft())
    finer = footnote.ingestion.ingest("local", draft(chunking=Chunking(64, 0)))
    assert (finer.status, finer.document_id) == ("unchanged", whole.document_id)
    assert finer.chunk_count > 4 * whole.chunk_count
    assert footnote.ingestion.ingest("local", draft(chunking=Chunking(64, 0))) == finer


def best(footnote: Footnote, query: str) -> Excerpt:
    return footnote.querying.retrieve(LOCAL_OWNER, Search(query, top_k=1)).excerpts[0]


def test_text_that_was_sent_has_the_sections_of_its_headings(footnote: Footnote) -> None:
    footnote.ingestion.ingest("local", draft("# Newts\n\nThey swim.\n\n## Eggs\n\nOn leaves."))
    assert best(footnote, "Who swims?").section == "Newts"
    assert best(footnote, "What is on leaves?").section == "Newts › Eggs"


PAGES = (Mark(0, 1), Mark(LONG.index("Paragraph 7 "), 2), Mark(LONG.index("Paragraph 15 "), 3))


def test_pages_stay_known_when_only_what_describes_the_content_is_new(footnote: Footnote) -> None:
    footnote.ingestion.ingest("local", draft(marks=PAGES, hash="h"))
    for changed in (
        draft(marks=PAGES, hash="h", tags=("new",)),
        draft("By its hash, the same.", hash="h", chunking=Chunking(64, 0)),
    ):
        footnote.ingestion.ingest("local", changed)
        assert best(footnote, "newt number 6").page == 1
        assert best(footnote, "newt number 16").page == 3


def test_the_same_text_on_other_pages_is_unchanged_and_found_there(footnote: Footnote) -> None:
    first = footnote.ingestion.ingest("local", draft(marks=PAGES))
    moved = tuple(mark._replace(page=mark.page and mark.page + 10) for mark in PAGES)
    second = footnote.ingestion.ingest("local", draft(marks=moved))
    assert (second.status, best(footnote, "newt number 16").page) == ("unchanged", 13)
    assert second.version != first.version
    for known in (draft(marks=moved), draft()):
        assert footnote.ingestion.ingest("local", known) == second


def test_a_row_is_found_by_the_header_of_its_table(footnote: Footnote, embedder: Counting) -> None:
    header = "| animal | favourite temperature |"
    rows = [f"| creature {n} | {n} degrees |" for n in range(100)]
    text = "\n".join([header, "| --- | --- |", *rows])
    marks = (Mark(0), Mark(text.index(rows[0]), header=Span(0, len(header))))
    footnote.ingestion.ingest("local", draft(text, marks=marks, chunking=Chunking(128, 0)))
    found = best(footnote, "favourite temperature of creature 77")
    assert "| creature 77 |" in found.text
    assert found.stored.chunk.context == header
    assert f"Newts\n{header}\n{found.text}" in embedder.embedded
    embedder.embedded.clear()
    footnote.ingestion.ingest("local", draft(text, marks=marks, chunking=Chunking(128, 0), url="u"))
    assert embedder.embedded == []  # known embeddings know their context, too


def test_what_would_go_beyond_the_quota_is_refused_and_leaves_nothing(
    footnote: Footnote, embedder: Counting, clock: Clock
) -> None:
    quota = len(LONG) + 10
    ingestion = replace(footnote.ingestion, quota=Quota(footnote.documents, quota))
    for _ in range(2):  # the same again is not more
        ingestion.ingest("local", draft())
    assert footnote.documents.stored("local") == len(LONG)
    embedder.embedded.clear()
    for larger in (draft(LONG + "x" * 11), replace(draft("x" * 11), path="/other")):
        with pytest.raises(IndexFull, match=str(quota)):
            ingestion.ingest("local", larger)
    assert embedder.embedded == []
    assert ingestion.ingest("other", draft()).status == "created"  # each org has its own
    assert ingestion.ingest("local", draft(LONG + "x" * 10)).status == "updated"
    assert ingestion.ingest("local", draft(LONG + "x" * 10, title="Full")).status == "unchanged"
    footnote.ingestion.delete("local", document_id(draft()))
    assert footnote.documents.stored("local") == 0
