"""Workers that die, and parts that are away: nothing that was accepted is lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from rag.errors import Unavailable
from rag.ingest.worker import MOST_DEATHS, redrive
from rag.stores.jobs import LONGEST_SECONDS
from rag.stores.leases import SECONDS, Leases
from tests.conftest import Clock, Server
from tests.wire.platform.conftest import Interrupted, Person, outcome, sweep
from tests.worker import work

NEWTS = {"id": "newts", "text": "Newts live in ponds."}
EFTS = {"id": "efts", "text": "Efts live in the woods."}


class Killed(BaseException):
    """What kill -9 does: nothing after it happens."""


@pytest.fixture
def deadly(embedder: Interrupted, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Newts kill every worker."""

    def kill(texts: Sequence[str]) -> None:
        if any("Newts" in text for text in texts):
            monkeypatch.setattr(Leases, "release", lambda *_: None)
            raise Killed

    embedder.before = kill
    yield
    embedder.before = lambda texts: None


def work_and_die(server: Server, monkeypatch: pytest.MonkeyPatch) -> int:
    """The workers of a minute, each as long as it lives; returns how many died."""
    deaths = 0
    while deliveries := server.footnote.parts.queue.receive(1, seconds=1800):
        try:
            server.footnote.worker.work(deliveries[0])
        except Killed:
            deaths += 1
            monkeypatch.undo()
        else:
            server.footnote.parts.queue.done(deliveries[0])
    return deaths


@pytest.mark.usefixtures("deadly")
def test_a_document_that_kills_its_workers_is_given_up_and_buried_and_the_others_are_done(
    server: Server,
    ann: Person,
    embedder: Interrupted,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    id = ann.begin(NEWTS, EFTS)
    for _ in range(MOST_DEATHS):
        assert work_and_die(server, monkeypatch) == 1
        assert outcome(ann.job(id)) == ["processing", "created"]
        sweep(server, clock)
    assert work_and_die(server, monkeypatch) == 0
    job = ann.job(id)
    assert (job["status"], outcome(job)) == ("completed", ["STALLED", "created"])
    assert "operator" in job["results"][0]["failure"]["message"]

    embedder.before = lambda texts: None
    [reason] = redrive(server.footnote.parts.dead, server.footnote.parts.queue)
    assert reason["code"] == "STALLED"
    work(server.footnote)
    assert outcome(ann.job(id)) == ["created", "created"]


def test_a_worker_that_died_once_is_replaced_within_a_minute(
    server: Server,
    ann: Person,
    embedder: Interrupted,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    id = ann.begin(NEWTS)
    request.getfixturevalue("deadly")
    assert work_and_die(server, monkeypatch) == 1
    embedder.before = lambda texts: None
    sweep(server, clock)
    assert work(server.footnote) == []
    job = ann.job(id)
    assert (outcome(job), job["progress"], job["indexed"]) == (
        ["created"], {"total": 1, "finished": 1}, 1,
    )  # fmt: skip


def test_a_job_that_nobody_has_touched_for_a_day_has_stalled_until_somebody_does(
    server: Server, ann: Person, clock: Clock
) -> None:
    id = ann.begin(NEWTS)
    clock.now += LONGEST_SECONDS
    assert ann.job(id)["status"] == "queued"
    clock.now += 1
    job = ann.job(id)
    assert (job["status"], job["failure"]["code"], outcome(job)) == (
        "failed", "STALLED", ["STALLED"],
    )  # fmt: skip
    assert ann.jobs()[0]["failure"]["code"] == "STALLED"
    work(server.footnote)
    assert (ann.job(id)["status"], outcome(ann.job(id))) == ("completed", ["created"])


# Parts that are away


def away(*_: Any, **__: Any) -> None:
    raise Unavailable("away")


@pytest.mark.parametrize("half", [False, True], ids=["nothing sent", "half of it sent"])
def test_what_could_not_be_queued_is_accepted_and_queued_by_a_sweep(
    server: Server, ann: Person, clock: Clock, monkeypatch: pytest.MonkeyPatch, half: bool
) -> None:
    queue = server.footnote.parts.queue
    send = queue.send

    def send_half(*bodies: Any, **more: Any) -> None:
        send(*bodies[: len(bodies) // 2], **more)
        away()

    with monkeypatch.context() as patch:
        patch.setattr(queue, "send", send_half if half else away)
        id = ann.begin(NEWTS, EFTS)
        with pytest.raises(Unavailable):
            sweep(server, clock, after=SECONDS)
    work(server.footnote)
    assert ann.job(id)["progress"]["finished"] == half
    sweep(server, clock)
    assert work(server.footnote) == []
    job = ann.job(id)
    assert (job["status"], job["indexed"], outcome(job)) == ("completed", 2, ["created"] * 2)
    clock.now += 10 * SECONDS
    assert list(server.footnote.worker.leases.expired()) == []


def test_without_the_object_store_nothing_is_accepted(
    server: Server, ann: Person, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(server.footnote.parts.objects, "put", away)
        answer = ann.send(NEWTS)
    assert (answer.status_code, answer.json()["error"]) == (503, "Service unavailable")
    sweep(server, clock)
    assert work(server.footnote) == []
    assert ann.jobs() == []


def test_what_could_not_be_queued_is_queued_even_after_days_without_a_sweep(
    server: Server, ann: Person, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A laptop that was closed just then."""
    with monkeypatch.context() as patch:
        patch.setattr(server.footnote.parts.queue, "send", away)
        id = ann.begin(NEWTS, EFTS)
    sweep(server, clock, after=2 * LONGEST_SECONDS)
    assert work(server.footnote) == []
    assert (ann.job(id)["status"], outcome(ann.job(id))) == ("completed", ["created"] * 2)
