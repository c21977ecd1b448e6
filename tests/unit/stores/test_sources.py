from __future__ import annotations

from dataclasses import replace

import pytest

from rag.errors import NotFound, Unavailable
from rag.model import Access, Draft, Source
from rag.ports import Items
from rag.stores.documents import Documents
from rag.stores.sources import DEFAULT, Abandoned, Sources
from tests.conftest import Clock

PRIVATE = Access("private", users=frozenset({"bob", "eve"}))


@pytest.fixture
def sources(items: Items, clock: Clock) -> Sources:
    return Sources(items, clock)


@pytest.fixture
def documents(items: Items, clock: Clock) -> Documents:
    return Documents(items, clock)


def test_every_org_has_the_default_source(sources: Sources) -> None:
    assert sources.all("acme") == [DEFAULT]
    assert sources.get("acme", "default") == DEFAULT


def test_a_source_comes_back_as_it_was_made_and_changed(sources: Sources) -> None:
    made = sources.create("acme", "ann", "Files", PRIVATE)
    assert sources.get("acme", made.id) == made
    assert sources.all("acme") == [DEFAULT, made]
    assert sources.get("other", made.id) is None
    changed = replace(made, name="Papers", access=Access("public"))
    assert sources.change("acme", made, changed)
    assert sources.get("acme", made.id) == changed
    assert not sources.change("other", made, changed)
    assert sources.all("other") == [DEFAULT]


def test_changes_of_different_things_at_once_all_count(sources: Sources) -> None:
    made = sources.create("acme", "ann", "Files", Access("public", roles=frozenset({"hr"})))
    closed = replace(made.access, visibility="personal")
    assert sources.change("acme", made, replace(made, access=closed))
    assert sources.change("acme", made, replace(made, name="Papers"))
    assert sources.get("acme", made.id) == replace(made, name="Papers", access=closed)


def test_what_is_read_while_a_source_changes_is_read_again(
    sources: Sources, documents: Documents
) -> None:
    made = sources.create("acme", "ann", "Files", Access("public"))
    reads: list[str] = []

    def read(all: list[Source]) -> str:
        reads.append(all[-1].access.visibility)
        if len(reads) == 1:
            sources.change("acme", made, replace(made, access=PRIVATE))
        # Documents come and go all the time, and nobody waits for that.
        staged = documents.stage("acme", Draft("s", f"/{len(reads)}", "t", "t"), [])
        documents.publish("acme", staged, None)
        return reads[-1]

    assert sources.steadily("acme", read) == "private"
    assert reads == ["public", "private"]


def test_where_sources_change_without_end_the_reader_is_told_to_try_again(sources: Sources) -> None:
    with pytest.raises(Unavailable):
        sources.steadily("acme", lambda _: sources.create("acme", "ann", "Files", PRIVATE))


def test_every_change_is_another_state_of_the_corpus(
    sources: Sources, documents: Documents
) -> None:
    epochs = [documents.epoch("acme")]
    made = sources.create("acme", "ann", "Files", PRIVATE)
    epochs.append(documents.epoch("acme"))
    sources.change("acme", made, replace(made, access=Access("personal")))
    epochs.append(documents.epoch("acme"))
    sources.delete("acme", made.id)
    epochs.append(documents.epoch("acme"))
    assert len(set(epochs)) == 4


def test_documents_are_counted_and_none_comes_to_a_deleted_source(
    sources: Sources, documents: Documents
) -> None:
    made = sources.create("acme", "ann", "Files", PRIVATE)
    staged = [
        documents.stage("acme", Draft("s", f"/{name}", name, name, data_source=made.id), [])
        for name in "abc"
    ]
    for one in staged[:2]:
        documents.publish("acme", one, None)
    assert sources.counts("acme", [DEFAULT, made]) == {"default": 0, made.id: 2}
    [first, _] = documents.all("acme")
    documents.remove("acme", first)
    assert sources.counts("acme", [made]) == {made.id: 1}

    assert sources.delete("acme", made.id)
    assert not sources.delete("acme", made.id)
    assert sources.get("acme", made.id) is None
    with pytest.raises(NotFound):
        documents.publish("acme", staged[2], None)
    [left] = sources.abandoned()
    assert left == Abandoned("acme", made.id)
    sources.forget(left)
    assert list(sources.abandoned()) == []
    assert sources.counts("acme", [made]) == {made.id: 0}
