from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rag.errors import Conflict
from rag.model import Chunk, ChunkRef, Draft, EmbeddedChunk, Embedding, Mark, Passage, Span
from rag.ports import Items, Key, Put, Update
from rag.stores import documents as store
from rag.stores import layout
from rag.stores.documents import Documents, HeadMoved, Staged, document_id
from tests.conftest import Clock

DRAFT = Draft(
    source="s", path="/p", title="T", text="one two", tags=("a",), metadata={"big": 10**30}
)


@pytest.fixture
def documents(items: Items, clock: Clock) -> Documents:
    return Documents(items, clock)


def chunks(*texts: str) -> list[EmbeddedChunk]:
    """Chunks that overlap by one character, as windows do."""
    embedding = Embedding(np.zeros(2, np.float32), b"states")
    result, start = [], 0
    for index, text in enumerate(texts):
        chunk = Chunk(index, start, start + len(text), text)
        result.append(EmbeddedChunk(chunk, (Passage(Span(0, len(text)), embedding),)))
        start += len(text) - 1
    return result


def stage(documents: Documents, draft: Draft = DRAFT, *texts: str) -> Staged:
    return documents.stage("o", draft, chunks(*texts or ("one two",)))


def test_a_staged_version_is_not_there_until_it_is_published(documents: Documents) -> None:
    staged = stage(documents)
    assert documents.get("o", staged.document.id) is None
    assert list(documents.all("o")) == []
    published = documents.publish("o", staged, None)
    assert documents.get("o", published.id) == published
    assert published.metadata == {"big": 10**30}


def test_documents_that_an_index_holds_too_little_of_are_found_page_by_page(
    documents: Documents, items: Items
) -> None:
    paths = [f"/{number}" for number in range(5)]
    made = [
        documents.publish("o", stage(documents, replace(DRAFT, path=path)), None) for path in paths
    ]
    old = sorted(made, key=lambda one: one.id)[1:]
    for one in old:
        items.write(Update(layout.document("o", one.id), set={"fields": None}))
    first, up_to = documents.outdated("o", "", 3)
    assert up_to is not None
    rest, end = documents.outdated("o", up_to, 3)
    assert ([*first, *rest], end) == (old, None)
    before = documents.epoch("o")
    assert documents.updated("o", old[0])
    assert documents.epoch("o") > before
    assert documents.outdated("o", "", 9) == (old[1:], None)
    assert not documents.updated("o", replace(old[1], version="replaced"))
    documents.remove("o", old[2])
    assert not documents.updated("o", old[2])
    assert documents.outdated("o", "", 9) == ([old[1], old[3]], None)


def test_documents_are_told_apart_by_data_source_source_and_path() -> None:
    others = [
        replace(DRAFT, path="/q"), replace(DRAFT, source="t"), replace(DRAFT, data_source="d"),
        replace(DRAFT, source="s/p", path=""),
    ]  # fmt: skip
    assert len({document_id(draft) for draft in [DRAFT, *others]}) == 5
    assert document_id(replace(DRAFT, title="other", text="other")) == document_id(DRAFT)


def test_of_two_who_publish_over_the_same_version_one_is_told_to_look_again(
    documents: Documents,
) -> None:
    first, second = stage(documents), stage(documents)
    current = documents.publish("o", first, None)
    with pytest.raises(HeadMoved):
        documents.publish("o", second, None)
    assert documents.publish("o", second, current).version == second.document.version


def test_replacing_keeps_the_day_of_creation_and_moves_that_of_change(
    documents: Documents, clock: Clock
) -> None:
    current = documents.publish("o", stage(documents), None)
    clock.now += 100
    changed = documents.publish("o", stage(documents), current)
    assert changed.created_at == current.created_at
    assert changed.updated_at > current.updated_at


def test_every_change_moves_the_epoch_of_its_org_alone(documents: Documents) -> None:
    assert documents.epoch("o") == 0
    current = documents.publish("o", stage(documents), None)
    assert documents.epoch("o") == 1
    documents.remove("o", current)
    assert (documents.epoch("o"), documents.epoch("p")) == (2, 0)


def test_the_text_is_put_together_without_the_overlap(documents: Documents) -> None:
    draft = replace(DRAFT, text="abcdefg")
    published = documents.publish("o", stage(documents, draft, "abc", "cde", "efg"), None)
    assert documents.text("o", published) == "abcdefg"


def test_chunks_come_back_as_they_were_written(documents: Documents) -> None:
    document = documents.publish("o", stage(documents, DRAFT, "abc", "cde"), None)
    refs = [ChunkRef(document.id, document.version, n) for n in range(3)]
    found = documents.chunks("o", refs)
    assert list(found) == refs[:2]
    assert found[refs[1]].chunk == Chunk(1, 2, 5, "cde")
    assert found[refs[1]].states == (b"states",)
    assert documents.chunks("p", refs) == {}


def test_a_version_that_never_went_live_is_swept_when_its_time_is_up(
    documents: Documents, clock: Clock
) -> None:
    staged = stage(documents)
    assert list(documents.abandoned()) == []
    clock.now += store.STAGED_SECONDS + 1
    (litter,) = documents.abandoned()
    assert litter.version == staged.document.version
    documents.erase(litter)
    assert documents.version("o", staged.document.id, staged.document.version) == []
    assert list(documents.abandoned()) == []


def test_a_live_version_is_never_swept(documents: Documents, clock: Clock) -> None:
    live = documents.publish("o", stage(documents), None)
    clock.now += 10 * store.STAGED_SECONDS
    assert list(documents.abandoned()) == []
    assert documents.text("o", live) == "one two"


@pytest.mark.parametrize("how", ["replaced", "removed"])
def test_what_is_no_longer_current_stays_for_its_last_readers_and_is_then_swept(
    documents: Documents, clock: Clock, how: str
) -> None:
    old = documents.publish("o", stage(documents), None)
    if how == "replaced":
        documents.publish("o", stage(documents), old)
    else:
        documents.remove("o", old)
    assert documents.text("o", old) == "one two"
    assert list(documents.abandoned()) == []
    clock.now += store.REPLACED_SECONDS + 1
    assert [litter.version for litter in documents.abandoned()] == [old.version]


def test_a_sweep_that_died_is_taken_up_again(documents: Documents, clock: Clock) -> None:
    stage(documents)
    clock.now += store.STAGED_SECONDS + 1
    assert len(list(documents.abandoned())) == 1
    assert len(list(documents.abandoned())) == 1


def test_what_a_sweep_has_begun_to_remove_cannot_go_live(
    documents: Documents, clock: Clock
) -> None:
    staged = stage(documents)
    clock.now += store.STAGED_SECONDS + 1
    list(documents.abandoned())
    with pytest.raises(Conflict):
        documents.publish("o", staged, None)
    assert documents.get("o", staged.document.id) is None


def test_all_goes_through_every_page_in_order(
    documents: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "PAGE", 3)
    for number in range(8):
        documents.publish("o", stage(documents, replace(DRAFT, path=str(number))), None)
    found = [document.id for document in documents.all("o")]
    assert found == sorted(found)
    assert len(found) == 8
    assert [document.id for document in documents.all("o", after=found[4])] == found[5:]
    assert documents.orgs() == ["o"]


def test_a_text_keeps_its_marks_however_its_chunks_share_them(documents: Documents) -> None:
    marks = (Mark(0, 1, ("A",)), Mark(4, 2, ("A", "B"), Span(0, 3)), Mark(6))
    whole = chunks("one tw", "wo three")
    placed = [
        replace(one, chunk=replace(one.chunk, marks=some, context="| a |"))
        for one, some in zip(whole, (marks[:2], marks[1:]), strict=True)
    ]
    document = documents.publish("o", documents.stage("o", DRAFT, placed), None)
    assert documents.content("o", document) == ("one two three", marks)
    stored = documents.version("o", document.id, document.version)
    assert [one.chunk for one in stored] == [one.chunk for one in placed]


def test_chunks_that_were_stored_before_there_were_marks_have_none(
    documents: Documents, items: Items
) -> None:
    staged = stage(documents)
    pk = layout.version("o", staged.document.id, staged.document.version)
    [(sk, item)] = items.query(pk)
    items.write(Put(Key(pk, sk), {k: v for k, v in item.items() if k not in ("marks", "context")}))
    [stored] = documents.version("o", staged.document.id, staged.document.version)
    assert stored.chunk == Chunk(0, 0, 7, "one two")
