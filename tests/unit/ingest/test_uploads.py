"""Uploads on both kinds of storage: whatever happens, documents come to agree with objects."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import pytest

from rag.adapters.aws.items import DynamoItems
from rag.adapters.aws.objects import S3Objects
from rag.adapters.embedded.minilm import MiniLM
from rag.adapters.embedded.objects import FolderObjects
from rag.clock import iso
from rag.errors import EmbeddingFailed, FootnoteError, Invalid, NotFound, ParseError, TooLarge
from rag.footnote import Footnote
from rag.identity import LOCAL_OWNER
from rag.ingest.pipeline import Ingestion
from rag.ingest.uploads import place
from rag.job import Failure, Job, Result
from rag.model import Access, Change, Search
from rag.ports import Items, Objects
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings
from rag.stores.uploads import Uploads
from tests.conftest import EMULATORS, Clock, new_bucket, new_table

Storage: TypeAlias = dict[str, object]

KEY = "uploads/local/default/a b/newts.md"
TEXT = b"# Newts\n\nNewts live in ponds."


@dataclass
class World:
    """A store of objects that counts its changes, and the application that follows them."""

    footnote: Footnote
    objects: Objects
    sequencers: Any

    def put(self, data: bytes, key: str = KEY) -> Change:
        self.objects.put(key, data)
        return self.changed(key)

    def delete(self, key: str = KEY) -> Change:
        self.objects.delete(key)
        return self.changed(key)

    def changed(self, key: str) -> Change:
        number = next(self.sequencers)
        return Change(key, 1_800_000_000.0 + number, f"{number:016X}")

    def follow(self, *changes: Change) -> None:
        for change in changes:
            self.footnote.worker.following.follow(change)

    def texts(self) -> dict[str, str]:
        documents = self.footnote.documents
        return {one.path: documents.text("local", one) for one in documents.all("local")}

    def jobs(self) -> list[Job]:
        return list(self.footnote.jobs.latest("local"))

    def result(self, job: Job) -> Result:
        [result] = self.footnote.jobs.results("local", job)
        return result


@pytest.fixture(params=["embedded", *EMULATORS])
def storage(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[Storage]:
    """Items and objects, as they are on one machine and in the cloud."""
    if request.param == "embedded":
        items = request.getfixturevalue("sqlite_items")
        yield {"items": items, "objects": FolderObjects(tmp_path / "objects")}
        return
    aws = request.getfixturevalue(request.param)
    with new_table(aws) as table:
        yield {"items": DynamoItems(*table, clock), "objects": S3Objects(*new_bucket(aws))}


@pytest.fixture
def world(storage: Storage, minilm: MiniLM, tmp_path: Path, clock: Clock) -> World:
    settings = Settings(data_dir=tmp_path / "data")
    footnote = bootstrap(settings, clock=clock, embedder=minilm, **storage)
    return World(footnote, footnote.parts.objects, count(1))


def test_an_upload_becomes_a_document_with_a_job(world: World) -> None:
    world.follow(world.put(TEXT))
    [document] = world.footnote.documents.all("local")
    assert (document.title, document.path, document.source) == (
        "Newts",
        "/a b/newts.md",
        "uploads",
    )
    found = world.footnote.querying.retrieve(LOCAL_OWNER, Search("Where do newts live?"))
    assert found.excerpts[0].document.id == document.id
    [job] = world.jobs()
    result = world.result(job)
    assert (job.status, result.status, result.name) == ("completed", "created", "a b/newts.md")
    assert result.vector_ids == (str(found.excerpts[0].ref),)


def test_the_same_event_again_has_the_same_job_and_changes_nothing(world: World) -> None:
    change = world.put(TEXT)
    world.follow(change, change)
    [job] = world.jobs()
    assert world.result(job).status == "created"
    assert world.texts() == {"/a b/newts.md": TEXT.decode()}


def test_the_same_event_again_does_not_open_a_job_that_is_done(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It could be cancelled, or fail, though its document is found."""

    def fail(*_: object, **__: object) -> None:
        raise EmbeddingFailed("The model is away.")

    change = world.put(TEXT)
    world.follow(change)
    before = world.jobs()
    monkeypatch.setattr(Ingestion, "ingest", fail)
    world.follow(change)
    assert world.jobs() == before


def test_a_new_version_replaces_the_document_and_a_late_event_does_not_bring_it_back(
    world: World,
) -> None:
    first = world.put(TEXT)
    second = world.put(b"Newts are gone.")
    world.follow(second, first)
    assert world.texts() == {"/a b/newts.md": "Newts are gone."}
    assert len(world.jobs()) == 1


def test_what_is_removed_is_removed_and_stays_so(world: World) -> None:
    first = world.put(TEXT)
    world.follow(first)
    gone = world.delete()
    world.follow(gone)
    assert world.texts() == {}
    world.follow(first, gone)
    assert world.texts() == {}
    world.follow(world.put(TEXT))
    assert len(world.texts()) == 1


def test_whoever_read_an_older_state_cannot_publish_it_over_a_newer_one(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = world.put(TEXT)
    following = world.footnote.worker.following
    read = type(following)._read

    def read_and_be_overtaken(self: Any, *arguments: Any) -> Any:
        draft = read(self, *arguments)
        monkeypatch.undo()
        world.follow(world.delete())  # while this one still embeds
        return draft

    monkeypatch.setattr(type(following), "_read", read_and_be_overtaken)
    world.follow(change)
    assert world.texts() == {}
    assert world.result(world.jobs()[0]).status == "superseded"


def test_an_event_that_is_delivered_twice_at_once_has_a_job_that_names_its_document(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = world.put(TEXT)
    following = world.footnote.worker.following
    read = type(following)._read

    def read_and_be_overtaken(self: Any, *arguments: Any) -> Any:
        draft = read(self, *arguments)
        monkeypatch.undo()
        world.delete()
        world.put(TEXT)
        world.follow(change)
        world.follow(world.put(b"Newts are gone."))  # so that there is something to publish over
        return draft

    monkeypatch.setattr(type(following), "_read", read_and_be_overtaken)
    world.follow(change)
    [job] = [one for one in world.jobs() if one.created_at == iso(change.at)]
    assert (world.result(job).status, world.result(job).chunk_count) == ("created", 1)
    assert world.texts() == {"/a b/newts.md": "Newts are gone."}


def test_a_version_that_went_live_stays_findable_though_its_answer_was_lost(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = world.put(TEXT)
    items = world.footnote.parts.items
    write = items.write

    def write_again_after_another_claim(*writes: Any) -> None:
        write(*writes)
        if len(writes) > 3:
            monkeypatch.undo()
            Uploads(items, lambda: 0.0).claim("local", KEY)
            write(*writes)

    monkeypatch.setattr(items, "write", write_again_after_another_claim)
    world.follow(change)
    found = world.footnote.querying.retrieve(LOCAL_OWNER, Search("Where do newts live?"))
    assert [one.document.path for one in found.excerpts] == ["/a b/newts.md"]
    assert world.result(world.jobs()[0]).status == "created"


def test_a_sidecar_describes_its_file_before_or_after_it(world: World) -> None:
    about = {"metadataAttributes": {"title": "Pond life", "tags": ["pond"], "year": 2026}}
    sidecar = world.put(json.dumps(about).encode(), KEY + ".metadata.json")
    world.follow(sidecar)
    assert world.texts() == {}
    world.follow(world.put(TEXT))
    [document] = world.footnote.documents.all("local")
    assert (document.title, document.tags) == ("Pond life", ("pond",))
    assert document.metadata == {"year": 2026}
    world.follow(world.delete(KEY + ".metadata.json"))
    [document] = world.footnote.documents.all("local")
    assert (document.title, document.tags, document.metadata) == ("Newts", (), {})


@pytest.mark.parametrize(
    ("key", "data", "error"),
    [
        ("uploads/local/other/a.md", TEXT, NotFound),
        ("uploads/local/default/a.md", b" ", ParseError),
        ("uploads/local/default/a.md", b"word " * 1100, TooLarge),
        ("uploads/local/default/a.md", b"a" * 8001, TooLarge),
        ("uploads/local/default/a.md", b" " * 20_001, TooLarge),
        ("uploads/local/a.md", TEXT, Invalid),
        ("uploads/a b/default/a.md", TEXT, Invalid),
        ("elsewhere/local/default/a.md", TEXT, Invalid),
    ],
)
def test_what_cannot_be_ingested_is_told(
    world: World, key: str, data: bytes, error: type[FootnoteError]
) -> None:
    following = world.footnote.worker.following
    impatient = replace(
        following,
        largest_file=20_000,
        ingestion=lambda: replace(following.ingestion(), longest_text=1000),
    )
    with pytest.raises(error):
        impatient.follow(world.put(data, key))
    assert world.texts() == {}


def test_what_a_file_says_of_itself_is_kept_under_what_others_say_of_it(world: World) -> None:
    front = b"---\ntitle: Own\nauthor: Ann\nlanguage: en\n---\n" + TEXT
    about = {"title": "Told", "author": "Bob"}
    world.put(json.dumps({"metadataAttributes": about}).encode(), KEY + ".metadata.json")
    world.follow(world.put(front))
    [document] = world.footnote.documents.all("local")
    assert document.title == "Told"
    assert document.metadata == {"author": "Bob", "language": "en"}
    assert world.texts() == {"/a b/newts.md": TEXT.decode()}


def test_a_file_that_is_another_than_it_seems_is_read_with_a_warning(world: World) -> None:
    world.follow(world.put(b"Newts live in ponds.", "uploads/local/default/report.pdf"))
    [job] = world.jobs()
    result = world.result(job)
    assert (job.status, result.status) == ("completed", "created")
    [warning] = result.warnings
    assert warning.code == "FORMAT_MISMATCH"
    assert warning.message.startswith("report.pdf is plain text, not a PDF")


def test_a_job_stays_its_sources_though_that_is_deleted_meanwhile(world: World) -> None:
    """Else everyone who sees jobs of no source would read what somebody's own files are called."""
    sources = world.footnote.sources
    own = sources.create("local", "ann", "Mine", Access("personal"))
    change = world.put(TEXT, f"uploads/local/{own.id}/secret plan.md")
    following = world.footnote.worker.following

    def deleting() -> Ingestion:
        sources.delete("local", own.id)
        return following.ingestion()

    with pytest.raises(NotFound):
        replace(following, ingestion=deleting).follow(change)
    following.give_up(change, Failure("NOT_FOUND", "It is gone."))
    [job] = world.jobs()
    assert (job.status, job.data_source) == ("failed", own.id)


@pytest.mark.parametrize(
    "key",
    [
        "uploads/local/default/empty/",
        "uploads/local/default/.metadata.json",
        "uploads/local/default/empty/.metadata.json",
        KEY + ".metadata.json.metadata.json",
    ],
)
def test_folders_of_a_console_and_sidecars_are_no_documents(world: World, key: str) -> None:
    world.put(TEXT, KEY + ".metadata.json")
    world.follow(world.changed(key))
    assert world.jobs() == []
    assert world.texts() == {}


@pytest.mark.parametrize("key", ["uploads/o/d/p", "uploads/o-1.x/d d/p/q.md"])
def test_a_place_is_read_off_its_key(key: str) -> None:
    found = place(key)
    assert f"uploads/{found.org}/{found.data_source}/{found.path}" == key


class Flaky(MiniLM):
    """An embedder that is away now and then."""

    def __init__(self, minilm: MiniLM, dice: Random) -> None:
        self.__dict__ = {**minilm.__dict__, "dice": dice}

    def embed(self, texts: Any) -> Any:
        if self.dice.random() < 0.2:
            raise EmbeddingFailed("away")
        return super().embed(texts)


def test_in_any_order_and_by_many_hands_documents_come_to_agree_with_objects(
    tmp_path: Path, sqlite_items: Items, minilm: MiniLM, dice: Random
) -> None:
    objects = FolderObjects(tmp_path / "objects")
    parts = {"objects": objects, "items": sqlite_items, "embedder": Flaky(minilm, dice)}
    footnote = bootstrap(Settings(data_dir=tmp_path / "data"), **parts)
    world = World(footnote, objects, count(1))
    keys = [f"uploads/local/default/{name}.txt" for name in "abc"]
    pending: list[Change] = []
    lock = threading.Lock()

    def take() -> Change | None:
        with lock:
            return pending.pop(dice.randrange(len(pending))) if pending else None

    def work() -> None:
        while change := take():
            try:
                footnote.worker.following.follow(change)
            except EmbeddingFailed:
                with lock:
                    pending.append(change)

    for _ in range(4):
        for _ in range(8):
            key = dice.choice(keys)
            with lock:
                if dice.random() < 0.3:
                    pending.append(world.delete(key))
                else:
                    pending.append(world.put(f"Version {dice.random()}".encode(), key))
                if dice.random() < 0.3:
                    pending.append(dice.choice(pending))  # some come twice
        hands = [threading.Thread(target=work) for _ in range(3)]
        for hand in hands:
            hand.start()
        for hand in hands:
            hand.join()
        expected = {
            f"/{key.rpartition('/')[2]}": data.decode()
            for key in keys
            if (data := objects.get(key)) is not None
        }
        assert world.texts() == expected
