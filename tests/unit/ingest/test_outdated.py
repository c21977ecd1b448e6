"""Documents that were indexed before there were facts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rag import filters
from rag.adapters.embedded.minilm import MiniLM
from rag.footnote import Footnote
from rag.ingest import index as indexing
from rag.ingest import outdated
from rag.ingest.reembed import reembed
from rag.model import Document, Draft, FieldValue, Principal, Search
from rag.ports import Update
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings
from rag.stores import layout
from rag.stores.progress import Progress
from tests.embedders import Hasty

ORGS = ("acme", "bolt")
ALL_LATE = ["/2020", "/2021", "/2022", "/2023"]


class Watched(Hasty):
    """An embedder that counts its calls."""

    calls = 0

    def embed(self, texts: Any) -> Any:
        self.calls += 1
        return super().embed(texts)


@pytest.fixture
def embedder(minilm: MiniLM) -> Watched:
    return Watched(minilm)


@pytest.fixture
def footnote(tmp_path: Path, embedder: Watched) -> Footnote:
    return bootstrap(Settings(data_dir=tmp_path), embedder=embedder)


@pytest.fixture
def progress(footnote: Footnote) -> Progress:
    return Progress(footnote.parts.items, outdated.NAME)


@pytest.fixture
def old(footnote: Footnote, monkeypatch: pytest.MonkeyPatch) -> None:
    """Six documents of each org, as they were written before."""
    with monkeypatch.context() as then:
        then.setattr(indexing, "fields", few)
        for org in ORGS:
            for year in range(2018, 2024):
                ingest(footnote, org, year)
    for org in ORGS:
        for document in footnote.documents.all(org):
            head = layout.document(org, document.id)
            footnote.parts.items.write(Update(head, set={"fields": None}))


def few(document: Document) -> dict[str, FieldValue]:
    known = filters.fields(document)
    return {name: known[name] for name in ("document", "data_source", "source", "tags")}


def ingest(footnote: Footnote, org: str, year: int, text: str = "Newts live in ponds.") -> None:
    draft = Draft("s", f"/{year}", "Newts", text, metadata={"year": year})
    footnote.ingestion.ingest(org, draft)


def late(footnote: Footnote, org: str) -> list[str]:
    where = filters.conditions([filters.Filter("year", "gte", 2020)])
    search = Search("newts", 20, where=where)
    found = footnote.querying.retrieve(Principal("ann", org), search)
    return sorted(excerpt.document.path for excerpt in found.excerpts)


def vectors(footnote: Footnote, org: str) -> dict[str, list[list[float]]]:
    ids = [f"{one.id}.{one.version}.0" for one in footnote.documents.all(org)]
    found = footnote.parts.index.vectors(org, ids)
    return {id: [vector.tolist() for vector in own] for id, own in found.items()}


@pytest.mark.usefixtures("old")
def test_bit_by_bit_filters_find_what_was_there_before(
    footnote: Footnote, progress: Progress, embedder: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outdated, "MOST", 4)
    monkeypatch.setattr(outdated, "MOST_CHUNKS", 3)
    assert [late(footnote, org) for org in ORGS] == [[], []]
    before = {org: vectors(footnote, org) for org in ORGS}
    embedder.calls = 0
    done = []
    while not progress.is_over():
        done.append(outdated.bring_up_to_date(footnote.documents, progress, footnote.parts.index))
    assert (sum(done), max(done)) == (12, 6)
    assert embedder.calls == 0
    assert {org: vectors(footnote, org) for org in ORGS} == before
    # Nor is it remembered that there was nothing.
    assert [late(footnote, org) for org in ORGS] == [ALL_LATE, ALL_LATE]


@pytest.mark.usefixtures("old")
def test_it_is_a_chore_and_once_done_it_is_over(footnote: Footnote, progress: Progress) -> None:
    for _ in range(2):
        for chore in footnote.chores:
            chore.do()
    assert progress.is_over()
    assert late(footnote, "acme") == ALL_LATE


def test_what_is_written_today_is_not_written_again(footnote: Footnote, progress: Progress) -> None:
    ingest(footnote, "acme", 2024)
    epoch = footnote.documents.epoch("acme")
    for _ in range(2):
        done = outdated.bring_up_to_date(footnote.documents, progress, footnote.parts.index)
        assert done == 0
    assert progress.is_over()
    assert footnote.documents.epoch("acme") == epoch


@pytest.mark.usefixtures("old")
def test_a_document_that_is_replaced_meanwhile_leaves_nothing_of_its_old_self(
    footnote: Footnote, progress: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = footnote.parts.index
    upsert, replaced = index.upsert, []

    def late_upsert(org: str, entries: Any) -> None:
        if org == "acme" and not replaced:
            replaced.append(footnote.documents.get("acme", entries[0].fields["document"]))
            ingest(footnote, "acme", int(replaced[0].path[1:]), text="Newts have left.")
        upsert(org, entries)

    monkeypatch.setattr(index, "upsert", late_upsert)
    outdated.bring_up_to_date(footnote.documents, progress, index)
    [gone] = replaced
    assert index.vectors("acme", [f"{gone.id}.{gone.version}.0"]) == {}
    assert late(footnote, "acme") == ALL_LATE


@pytest.mark.usefixtures("old")
def test_embedding_everything_again_does_it_as_well(
    footnote: Footnote, progress: Progress, embedder: Watched
) -> None:
    index = footnote.parts.index
    assert len(list(reembed(footnote.documents, index, embedder))) == 12
    assert late(footnote, "bolt") == ALL_LATE
    assert outdated.bring_up_to_date(footnote.documents, progress, index) == 0
