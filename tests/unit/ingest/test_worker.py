"""The worker on both kinds of queue: nothing is lost, and what cannot work is laid aside."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rag.adapters.embedded.minilm import MiniLM
from rag.errors import EmbeddingFailed, IndexUnavailable
from rag.footnote import Footnote
from rag.ingest import reembed
from rag.ingest.notices import changes, notice
from rag.ingest.worker import FIRST_PAUSE, MOST_ATTEMPTS, redrive
from rag.model import Change
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings
from tests.conftest import Clock
from tests.worker import work

GIF = b"GIF89a\0\0"
TEXT = b"Newts live in ponds."


class Away(MiniLM):
    """An embedder that can be away, or broken."""

    def __init__(self, minilm: MiniLM) -> None:
        self.__dict__ = {**minilm.__dict__, "error": None}

    def embed(self, texts: Any) -> Any:
        if self.error:
            raise self.error
        return super().embed(texts)


@pytest.fixture
def embedder(minilm: MiniLM) -> Away:
    return Away(minilm)


@pytest.fixture
def footnote(tmp_path: Path, embedder: Away, clock: Clock) -> Footnote:
    return bootstrap(Settings(data_dir=tmp_path), embedder=embedder, clock=clock)


@pytest.fixture
def upload(footnote: Footnote, clock: Clock) -> Callable[..., None]:
    def begin(name: str, data: bytes = TEXT, source: str = "default") -> None:
        key = f"uploads/local/{source}/{name}"
        footnote.parts.objects.put(key, data)
        footnote.parts.queue.send(notice(Change(key, clock.now, "01")))

    return begin


def statuses(footnote: Footnote) -> dict[str, tuple[str, str | None]]:
    return {
        job.name: (job.status, job.failure.code if job.failure else None)
        for job in footnote.jobs.latest("local")
    }


def buried(footnote: Footnote) -> list[dict[str, Any]]:
    return [one.body["reason"] for one in footnote.parts.dead.receive(seconds=0)]


def test_bad_uploads_are_buried_with_their_reason_and_the_others_go_on(
    footnote: Footnote, upload: Callable[..., None]
) -> None:
    upload("a.md")
    upload("b.gif", GIF)
    upload("c.md", b" ")
    upload("d.md", source="elsewhere")
    upload("e.md")
    assert work(footnote) == []
    assert statuses(footnote) == {
        "a.md": ("completed", None),
        "b.gif": ("failed", "UNSUPPORTED_FORMAT"),
        "c.md": ("failed", "PARSE_ERROR"),
        "d.md": ("failed", "NOT_FOUND"),
        "e.md": ("completed", None),
    }
    reasons = {(one["code"], one["attempt"]) for one in buried(footnote)}
    assert reasons == {("UNSUPPORTED_FORMAT", 1), ("PARSE_ERROR", 1), ("NOT_FOUND", 1)}


def test_what_may_pass_is_tried_again_after_longer_and_longer_pauses(
    footnote: Footnote, embedder: Away, upload: Callable[..., None], clock: Clock
) -> None:
    upload("a.md")
    embedder.error = EmbeddingFailed("away")
    for attempt in range(1, 5):
        [delivery] = work(footnote)
        assert delivery.attempt == attempt
        pause = FIRST_PAUSE * 2 ** (attempt - 1)
        clock.now += pause - 1
        assert footnote.parts.queue.receive(seconds=0) == []
        clock.now += 2
    assert statuses(footnote) == {"a.md": ("processing", None)}
    embedder.error = None
    assert work(footnote) == []
    assert statuses(footnote) == {"a.md": ("completed", None)}


def test_a_worker_that_starts_while_the_index_is_away_tries_again_too(
    footnote: Footnote, upload: Callable[..., None], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise IndexUnavailable("away")

    upload("a.md")
    with monkeypatch.context() as patch:
        patch.setattr(reembed, "check_maker", away)
        assert len(work(footnote)) == 1
    clock.now += FIRST_PAUSE + 1
    assert work(footnote) == []
    assert statuses(footnote) == {"a.md": ("completed", None)}


@pytest.mark.parametrize("replaced", [True, False])
def test_an_upload_that_is_replaced_or_removed_between_two_tries_has_a_job_that_ends(
    footnote: Footnote, embedder: Away, upload: Callable[..., None], clock: Clock, replaced: bool
) -> None:
    upload("a.md")
    embedder.error = EmbeddingFailed("away")
    assert len(work(footnote)) == 1
    embedder.error = None
    key = "uploads/local/default/a.md"
    if replaced:
        footnote.parts.objects.put(key, b"Newts are gone.")
        footnote.parts.queue.send(notice(Change(key, clock.now + 1, "02")))
    else:
        footnote.parts.objects.delete(key)
    assert work(footnote) == []
    clock.now += FIRST_PAUSE + 1
    assert work(footnote) == []
    ended = [
        (job.status, footnote.jobs.results("local", job)[0].status)
        for job in footnote.jobs.latest("local")
    ]
    first = ("completed", "superseded")
    assert ended == ([("completed", "created"), first] if replaced else [first])


@pytest.mark.parametrize(
    ("error", "code"),
    [(EmbeddingFailed("away"), "EMBEDDING_FAILED"), (ZeroDivisionError(), "INTERNAL_ERROR")],
)
def test_what_never_passes_is_buried_in_the_end_and_can_be_sent_back(
    footnote: Footnote,
    embedder: Away,
    upload: Callable[..., None],
    clock: Clock,
    error: Exception,
    code: str,
) -> None:
    upload("a.md")
    embedder.error = error
    for _ in range(MOST_ATTEMPTS - 1):
        assert len(work(footnote)) == 1
        clock.now += 1000
    assert work(footnote) == []
    assert statuses(footnote) == {"a.md": ("failed", code)}
    embedder.error = None
    [reason] = redrive(footnote.parts.dead, footnote.parts.queue)
    assert reason["code"] == code
    assert work(footnote) == []
    assert statuses(footnote) == {"a.md": ("completed", None)}
    assert redrive(footnote.parts.dead, footnote.parts.queue) == []


def test_one_bad_change_in_a_message_does_not_keep_the_others_back(
    footnote: Footnote, clock: Clock
) -> None:
    records = []
    for name, data in (("a.gif", GIF), ("b.md", TEXT)):
        key = f"uploads/local/default/{name}"
        footnote.parts.objects.put(key, data)
        records += notice(Change(key, clock.now, "01"))["Records"]
    footnote.parts.queue.send({"Records": records})
    assert work(footnote) == []
    assert [status for status, _ in statuses(footnote).values()].count("completed") == 1
    assert len(buried(footnote)) == 1


@pytest.mark.parametrize("body", [{"what": "ever"}, {"Records": [{"eventName": "x"}]}])
def test_a_message_that_makes_no_sense_is_buried(footnote: Footnote, body: dict[str, Any]) -> None:
    footnote.parts.queue.send(body)
    assert work(footnote) == []
    [reason] = buried(footnote)
    assert reason["code"] == "INVALID"


def test_the_reason_is_not_sent_back(footnote: Footnote) -> None:
    footnote.parts.queue.send({"what": "ever"})
    work(footnote)
    redrive(footnote.parts.dead, footnote.parts.queue)
    [delivery] = footnote.parts.queue.receive(seconds=0)
    assert delivery.body == {"what": "ever", "again": True}


def test_what_is_sent_back_takes_the_turn_of_its_org(footnote: Footnote, clock: Clock) -> None:
    keys = [f"uploads/{org}/default/{org}.md" for org in ("acme", "acme", "acme", "zeta")]
    footnote.parts.dead.send(*(notice(Change(key, clock.now, "")) for key in keys))
    redrive(footnote.parts.dead, footnote.parts.queue)
    first, second = footnote.parts.queue.receive(2, seconds=0)
    assert {change.key for one in (first, second) for change in changes(one.body)} == set(keys)


def test_what_is_buried_again_meanwhile_is_not_sent_back_without_end(
    footnote: Footnote, upload: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    upload("a.gif", GIF)
    assert work(footnote) == []
    queue = footnote.parts.queue
    send = queue.send

    def send_to_a_busy_worker(body: Any, **more: Any) -> None:
        send(body, **more)
        assert len(sent) < 5
        sent.append(body)
        work(footnote)

    sent: list[Any] = []
    monkeypatch.setattr(queue, "send", send_to_a_busy_worker)
    assert len(redrive(footnote.parts.dead, queue)) == 1
    assert len(buried(footnote)) == 1


def test_a_notice_of_the_bucket_is_sent_again_in_its_orgs_turn(
    footnote: Footnote, upload: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    upload("a.md")
    queue = footnote.parts.queue
    send, groups = queue.send, []

    def watched(*bodies: Any, group: str = "", delay: int = 0) -> None:
        groups.append(group)
        send(*bodies, group=group, delay=delay)

    monkeypatch.setattr(queue, "send", watched)
    [delivery] = queue.receive(seconds=60)
    footnote.worker.work(delivery)
    queue.done(delivery)
    assert (groups, statuses(footnote)) == (["local"], {})
    assert work(footnote) == []
    assert (groups, statuses(footnote)) == (["local"], {"a.md": ("completed", None)})
