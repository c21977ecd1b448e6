"""S3's events as they come: twice, late, in any order, while the bucket goes on changing."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, TypeAlias, TypeVar

import pytest

from rag.adapters.aws.items import DynamoItems
from rag.adapters.aws.objects import S3Objects
from rag.adapters.embedded.database import Database
from rag.adapters.embedded.index import SqliteIndex
from rag.adapters.embedded.items import SqliteItems
from rag.adapters.embedded.minilm import MiniLM
from rag.adapters.embedded.objects import FolderObjects
from rag.adapters.embedded.queue import SqliteQueue
from rag.errors import EmbeddingFailed
from rag.footnote import Footnote
from rag.ingest.describe import ATTRIBUTES, SIDECAR
from rag.ingest.notices import notice
from rag.ingest.worker import TryAgain
from rag.model import Access, Change, ChunkRef, Embedding
from rag.ports import ObjectHead, Objects
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings
from rag.runtime.slots import DATABASE
from tests.conftest import EMULATORS, Clock, new_bucket, new_table
from tests.embedders import Hasty
from tests.integration.tables import A_DAY, only_live_versions_are_left

T = TypeVar("T")
Event: TypeAlias = dict[str, Any]
# What each document says, by the key of its object: title, tags, metadata and text.
Corpus: TypeAlias = dict[str, tuple[str, tuple[str, ...], dict[str, Any], str]]

ORGS = ("acme", "zeta")
WORKERS = 4
WAITING = 8  # events, before objects change further: the work is to go on meanwhile
ROUND = 100  # changes, before all waits for the work to be done
PAUSE = 1000  # longer than any after a failure


class Flaky(Hasty):
    """An embedder that is away now and then."""

    def __init__(self, minilm: MiniLM, dice: Random) -> None:
        super().__init__(minilm)
        self._dice = dice

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        if self._dice.random() < 0.03:
            raise EmbeddingFailed("away")
        return super().embed(texts)


class Slow:
    """Objects that may have changed since somebody has looked, before anything comes of it."""

    def __init__(self, objects: Objects, dice: Random) -> None:
        self._objects = objects
        self._dice = dice

    def head(self, key: str) -> ObjectHead | None:
        return self._late(self._objects.head(key))

    def get(self, key: str, *more: Any) -> bytes | None:
        return self._late(self._objects.get(key, *more))

    def _late(self, found: T) -> T:
        time.sleep(self._dice.choice([0, 0, 0, 0.03]))
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._objects, name)


@dataclass
class Bucket:
    """Objects that change, and a memory of how they are by now and since when."""

    objects: Objects
    keys: list[str]
    dice: Random
    now: dict[str, bytes] = field(default_factory=dict)
    changed: dict[str, int] = field(default_factory=dict)
    changes: int = 0

    def change(self) -> Event:
        """Create, replace or remove an object, some more often; returns S3's event of that."""
        key = self.keys[int(len(self.keys) * self.dice.random() ** 3)]
        event = notice(Change(key, 1_800_000_000.0 + self.changes, f"{self.changes:016X}"))
        if self.dice.random() < 0.25:
            self.objects.delete(key)
            self.now.pop(key, None)
            event["Records"][0]["eventName"] = "ObjectRemoved:DeleteMarkerCreated"
        else:
            self.now[key] = self._sidecar() if key.endswith(SIDECAR) else self._text(key)
            self.objects.put(key, self.now[key])
        self.changed[key] = self.changes
        self.changes += 1
        return event

    def corpus(self) -> Corpus:
        """What the documents have to say, the objects being as they are."""
        found = {}
        for key, data in self.now.items():
            if not key.endswith(SIDECAR):
                about = json.loads(self.now.get(key + SIDECAR, b"{}")).get(ATTRIBUTES, {})
                text = data.decode()
                title = about.pop("title", text.splitlines()[0].removeprefix("# "))
                found[key] = (title, tuple(about.pop("tags", ())), about, text)
        return found

    def told(self, events: set[int]) -> list[str]:
        """The documents' keys of whose last change these events tell, and of their sidecars'."""
        untold = {key for key, change in self.changed.items() if change not in events}
        return [key for key in self.keys if not {key, key + SIDECAR} & untold]

    def _text(self, key: str) -> bytes:
        if key in self.now and self.dice.random() < 0.1:
            return self.now[key]  # the same once more
        sentences = self.dice.choice([1, 1, 1, 90])  # the last is more than one chunk
        return f"# State {self.changes}\n{' A newt was seen.' * sentences}".encode()

    def _sidecar(self) -> bytes:
        about = {"title": f"Title {self.changes}", "tags": ["pond"], "state": self.changes}
        return json.dumps({ATTRIBUTES: about}).encode()


class Hands:
    """Several workers on one queue."""

    def __init__(self, footnote: Footnote, clock: Clock) -> None:
        self._footnote = footnote
        self._queue = footnote.parts.queue
        self._clock = clock
        self._room = threading.Semaphore(WAITING)

    def work(self, events: Iterable[Event]) -> None:
        """Work on events while they are being sent, and until all have been worked on."""
        sent = threading.Event()
        with ThreadPoolExecutor(WORKERS) as pool:
            hands = [pool.submit(self._work, sent) for _ in range(WORKERS)]
            try:
                for event in events:
                    if not self._room.acquire(timeout=60):
                        break  # no hand works any more, and each says below why
                    self._queue.send(event)
            finally:
                sent.set()
        failed = [hand.result() for hand in hands]
        if any(failed):
            self._clock.now += PAUSE
            self.work([])

    def _work(self, sent: threading.Event) -> bool:
        """Returns whether some are to come again."""
        failed = False
        while True:
            all_sent = sent.is_set()
            deliveries = self._queue.receive(1, seconds=60)
            for delivery in deliveries:
                try:
                    self._footnote.worker.work(delivery)
                    self._queue.done(delivery)
                except TryAgain:
                    failed = True
                if delivery.attempt == 1:
                    self._room.release()
            if not deliveries and all_sent:
                return failed
            if not deliveries:
                time.sleep(0.001)


def twice_and_shuffled(events: int, dice: Random) -> list[list[int]]:
    """Which events come after which: each of them twice, at once or some changes later, or when
    all is over, which is the last of the lists."""
    coming: list[list[int]] = [[] for _ in range(events + 1)]
    for event in range(events):
        for _ in range(2):
            late = dice.choice([0, dice.randrange(events // 20), events])
            coming[min(event + late, events)].append(event)
    dice.shuffle(coming[-1])
    return coming


def corpus(footnote: Footnote) -> Corpus:
    documents = footnote.documents
    return {
        f"uploads/{org}/{one.data_source}{one.path}": (
            one.title,
            one.tags,
            dict(one.metadata),
            documents.text(org, one),
        )
        for org in ORGS
        for one in documents.all(org)
    }


def indexed(data_dir: Path) -> list[tuple[str, str]]:
    """All of the index: whose entry, and of which chunk."""
    with closing(sqlite3.connect(data_dir / DATABASE)) as database:
        return sorted(database.execute("SELECT namespace, id FROM entries").fetchall())


def live_chunks(footnote: Footnote) -> list[tuple[str, str]]:
    return sorted(
        (org, str(ChunkRef(one.id, one.version, index)))
        for org in ORGS
        for one in footnote.documents.all(org)
        for index in range(one.chunk_count)
    )


@dataclass(frozen=True)
class Place:
    """How much is to happen, and on which storage."""

    events: int
    files: int  # in each of four data sources
    objects: Objects
    parts: dict[str, Any]


@pytest.fixture(params=["embedded", *EMULATORS])
def place(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[Place]:
    # This is about order, not about power cuts: nobody need wait for the disk.
    database = Database(tmp_path / DATABASE, durable=False)
    queue, dead = (SqliteQueue(database, clock, name) for name in ("ingest", "dead"))
    parts = {"index": SqliteIndex(database), "queue": queue, "dead": dead}
    if request.param == "embedded":
        items = SqliteItems(database, clock)
        yield Place(2000, 15, FolderObjects(tmp_path), {**parts, "items": items})
    else:
        aws = request.getfixturevalue(request.param)
        with new_table(aws) as table:
            # Fewer: moto copies the whole table for every transaction.
            objects = S3Objects(*new_bucket(aws))
            yield Place(60, 2, objects, {**parts, "items": DynamoItems(*table, clock)})
    database.close()


def test_events_that_come_twice_and_shuffled_end_in_the_last_version_of_each_object(
    tmp_path: Path, place: Place, minilm: MiniLM, clock: Clock, dice: Random
) -> None:
    others = Random(dice.random())  # who depends on which thread is faster
    parts = {"objects": Slow(place.objects, others), "embedder": Flaky(minilm, others)}
    footnote = bootstrap(Settings(data_dir=tmp_path), clock=clock, **place.parts, **parts)
    keys = []
    for org in ORGS:
        own = footnote.sources.create(org, "ann", "Own", Access("public"))
        for source in ("default", own.id):
            names = [f"uploads/{org}/{source}/a b/ü{n}.md" for n in range(place.files)]
            keys += [*names, *(name + SIDECAR for name in names[::5])]
    dice.shuffle(keys)
    bucket, hands = Bucket(place.objects, keys, dice), Hands(footnote, clock)
    coming = twice_and_shuffled(place.events, dice)
    events: list[Event] = []
    come: set[int] = set()

    def happening(first: int) -> Iterator[Event]:
        for now in range(first, min(first + ROUND, place.events)):
            events.append(bucket.change())
            come.update(coming[now])
            yield from (events[one] for one in coming[now])

    for first in range(0, place.events, ROUND):
        hands.work(happening(first))
        found, expected = corpus(footnote), bucket.corpus()
        for key in bucket.told(come):
            assert found.get(key) == expected.get(key)
    hands.work(events[one] for one in coming[-1])

    assert corpus(footnote) == bucket.corpus()
    documents = Counter(key.rpartition("/a b/")[0] for key in bucket.corpus())
    for org in ORGS:
        sources = footnote.sources.all(org)
        counts = {one.id: documents[f"uploads/{org}/{one.id}"] for one in sources}
        assert footnote.sources.counts(org, sources) == counts
        assert {job.status for job in footnote.jobs.latest(org)} == {"completed"}
    assert footnote.parts.dead.receive(seconds=0) == []

    clock.now += A_DAY
    while footnote.ingestion.sweep():
        pass
    assert indexed(tmp_path) == live_chunks(footnote)
    if isinstance(footnote.parts.items, SqliteItems):
        only_live_versions_are_left(tmp_path)
