"""Workers of jobs that die or are cancelled at every single write, and several at the same job."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

from infra.local.worker import work_on_one, working
from rag.adapters.embedded.database import Database
from rag.adapters.embedded.objects import FolderObjects
from rag.errors import Conflict
from rag.footnote import Footnote
from rag.ingest.intake import Batch, Repeat
from rag.ingest.sent import Sent
from rag.job import CANCELLED, Job
from rag.model import Chunking, Principal
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings
from rag.stores.leases import Leases
from rag.wire.platform.translate import summary
from tests.conftest import Clock
from tests.embedders import Hasty
from tests.integration.tables import (
    do_chores_in_two_hours,
    nothing_waits,
    only_live_versions_are_left,
)
from tests.integration.waiting import until

ANN = Principal("ann", "acme")
REPEAT = Repeat("once", "the same")
A_MINUTE = 61


class Killed(BaseException):
    """The process is dead: nothing catches this."""


class Running:
    """A clock that goes by itself, and may be put forward."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


@contextmanager
def before_write(number: int, do: Callable[[], None]) -> Iterator[None]:
    """Whatever is inside, do this just before its write of that number, and before all after it
    for as long as that fails."""
    made = count()
    pending = [do]
    transaction, put = Database.transaction, FolderObjects.put

    def next_write() -> None:
        if pending and next(made) >= number:
            now = pending.pop()
            try:
                now()
            except BaseException:
                pending.append(now)
                raise

    def noted_transaction(database: Database, mode: Any = "IMMEDIATE", **named: Any) -> Any:
        if mode == "IMMEDIATE":
            next_write()
        return transaction(database, mode, **named)

    def noted_put(objects: FolderObjects, key: str, data: bytes) -> None:
        next_write()
        put(objects, key, data)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "transaction", noted_transaction)
        patch.setattr(FolderObjects, "put", noted_put)
        yield


def made(data_dir: Path, hasty: Hasty, clock: Callable[[], float]) -> Footnote:
    footnote = bootstrap(Settings(data_dir=data_dir), embedder=hasty, clock=clock)
    footnote.ready()
    return footnote


def batch(documents: int, name: str = "newt") -> Batch:
    texts = (f"The {name} number {number} lives in a pond." for number in range(documents))
    sent = (Sent(id=f"{name}-{number}", text=text) for number, text in enumerate(texts))
    return Batch("default", tuple(sent), Chunking())


def work(footnote: Footnote) -> None:
    """Work on all that is due."""
    while work_on_one(footnote.parts.queue, footnote.worker, threading.Event()):
        pass


def do_chores(footnote: Footnote) -> None:
    for chore in footnote.chores:
        chore.do()


def die() -> None:
    raise Killed


def agrees(footnote: Footnote, *jobs: Job) -> None:
    """The documents that are there are those that the jobs count and name, and no others; each was
    made live once."""
    named = {}
    for job in jobs:
        results = footnote.jobs.results("acme", job)
        done = {one.document_id: one.version for one in results if one.status == "created"}
        assert len(done) == job.indexed == job.finished
        assert sum(one.chunk_count for one in results) == job.chunks
        named |= done
    assert named == {one.id: one.version for one in footnote.documents.all("acme")}
    assert sum(job.indexed for job in jobs) == len(named) == footnote.documents.epoch("acme")


def test_whatever_write_is_the_last_before_a_death_the_job_is_done_by_others_or_was_never_there(
    tmp_path: Path, hasty: Hasty, clock: Clock
) -> None:
    outcomes = []
    for writes in count():
        data_dir = tmp_path / str(writes)
        first = made(data_dir, hasty, clock)
        with before_write(writes, die), suppress(Killed):
            first.intake.accept(ANN, batch(2), REPEAT)
            work(first)
            break  # there was no such write

        other = made(data_dir, hasty, clock)
        for _ in range(2):
            clock.now += A_MINUTE
            do_chores(other)
            work(other)
        left = list(other.jobs.latest("acme"))
        assert [job.status for job in left] in ([], ["completed"]), writes
        agrees(other, *left)
        outcomes.append(len(left))

        # Whoever got no answer sends it again.
        again = other.intake.accept(ANN, batch(2), REPEAT)
        work(other)
        [job] = other.jobs.latest("acme")
        assert (job.id, job.status, job.indexed) == (again.id, "completed", 2)
        agrees(other, job)
        clock.now += A_MINUTE
        work(other)
        assert nothing_waits(data_dir), writes
        clock.now += 3600
        do_chores(other)
        assert nothing_waits(data_dir), writes
        only_live_versions_are_left(data_dir)
    assert outcomes == sorted(outcomes)
    assert set(outcomes) == {0, 1}


def test_a_job_is_not_forgotten_whose_documents_took_long_to_lay_down_before_the_death(
    data_dir: Path, hasty: Hasty, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, other = (made(data_dir, hasty, clock) for _ in range(2))

    def put_slowly(key: str, data: bytes) -> None:
        other.parts.objects.put(key, data)
        clock.now += A_MINUTE
        do_chores(other)
        work(other)

    def die_instead(*_: Any, **__: Any) -> None:
        raise Killed

    monkeypatch.setattr(first.parts.objects, "put", put_slowly)
    monkeypatch.setattr(first.parts.queue, "send", die_instead)
    with pytest.raises(Killed):
        first.intake.accept(ANN, batch(2))
    [job] = other.jobs.latest("acme")
    assert job.status == "queued"
    clock.now += A_MINUTE
    do_chores(other)
    work(other)
    [job] = other.jobs.latest("acme")
    assert job.status == "completed"
    agrees(other, job)
    assert nothing_waits(data_dir)


def test_whatever_write_a_cancellation_comes_before_nothing_is_done_after_it(
    tmp_path: Path, hasty: Hasty, clock: Clock
) -> None:
    finished = []
    for writes in count():
        data_dir = tmp_path / str(writes)
        footnote = made(data_dir, hasty, clock)
        job = footnote.intake.accept(ANN, batch(2))
        answers: list[Job] = []

        def cancel(footnote: Footnote = footnote, job: Job = job, told: Any = answers) -> None:
            with suppress(Conflict):
                told.append(footnote.jobs.cancel("acme", job))

        with before_write(writes, cancel):
            work(footnote)
        [now] = footnote.jobs.latest("acme")
        agrees(footnote, now)
        assert nothing_waits(data_dir)
        clock.now += 3601
        do_chores(footnote)
        only_live_versions_are_left(data_dir)
        if not answers:
            break  # it was done before
        finished.append(answers[0].finished)
        assert (now.status, now.over, now.finished) == ("failed", CANCELLED, finished[-1])
    assert now.status == "completed"
    assert finished == sorted(finished)
    assert set(finished) == {0, 1}


@pytest.mark.parametrize("leased", [True, False])
def test_messages_that_come_twice_to_several_workers_count_once(
    data_dir: Path, hasty: Hasty, monkeypatch: pytest.MonkeyPatch, leased: bool
) -> None:
    clock = Running()
    one, other = (made(data_dir, hasty, clock) for _ in range(2))
    send = one.parts.queue.send

    def send_twice(*bodies: Any, **named: Any) -> None:
        send(*(body for body in bodies for _ in range(2)), **named)

    monkeypatch.setattr(one.parts.queue, "send", send_twice)
    job = one.intake.accept(ANN, batch(200))
    if not leased:
        # As if every one were lost at once: they save work, and nothing else.
        take, names = Leases.take, count()

        def grant(leases: Leases, name: str, *more: Any) -> Any:
            return take(leases, f"{name} {next(names)}", *more)

        monkeypatch.setattr(Leases, "take", grant)
    failures: list[Exception] = []
    with ExitStack() as workers:
        for footnote in (one, other, one, other):
            hand = working(footnote.parts.queue, footnote.worker, failed=failures.append)
            workers.enter_context(hand)
        until(lambda: one.jobs.get("acme", job.id).is_done)  # type: ignore[union-attr]
        # Those that have found another at the same document wait for its lease to end.
        clock.ahead += A_MINUTE
        until(partial(nothing_waits, data_dir))
    assert failures == []
    [now] = other.jobs.latest("acme")
    assert (now.status, now.finished) == ("completed", 200)
    agrees(other, now)
    do_chores_in_two_hours(data_dir, hasty)
    only_live_versions_are_left(data_dir)


def test_jobs_that_are_cancelled_while_workers_are_at_them_stay_as_they_were_answered(
    data_dir: Path, hasty: Hasty, dice: Random
) -> None:
    one, other = (made(data_dir, hasty, time.time) for _ in range(2))
    failures: list[Exception] = []
    answers = []
    with ExitStack() as workers:
        for footnote in (one, other):
            hand = working(footnote.parts.queue, footnote.worker, failed=failures.append)
            workers.enter_context(hand)
        for number in range(60):
            job = one.intake.accept(ANN, batch(5, f"newt {number}"))
            time.sleep(dice.choice([0, dice.uniform(0, 0.05)]))
            try:
                answers.append(one.jobs.cancel("acme", job))
            except Conflict:
                answers.append(one.jobs.get("acme", job.id) or job)
        until(partial(nothing_waits, data_dir))
    assert failures == []
    # Of those that were made in the same millisecond, any may be listed first.
    answers.sort(key=lambda job: job.id, reverse=True)
    assert [summary(job) for job in other.jobs.latest("acme")] == [*map(summary, answers)]
    agrees(one, *answers)
    do_chores_in_two_hours(data_dir, hasty)
    only_live_versions_are_left(data_dir)
