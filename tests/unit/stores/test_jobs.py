"""Jobs on every table: what is counted is finished, once, and never after a cancellation."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from random import Random

import pytest

from rag.clock import iso
from rag.errors import Conflict
from rag.job import CANCELLED, NOT_UPLOADED, STALLED, Failure, Job, Part, Result
from rag.model import Caution, Chunking, Span
from rag.ports import Items
from rag.stores.jobs import KEPT_SECONDS, LONGEST_SECONDS, Jobs
from tests.conftest import Clock

WAITING = Result("a.md", part=Part("jobs/acme/job_1", Span(3, 7)))
DONE = replace(
    WAITING,
    status="created",
    document_id="doc_1",
    version="v",
    chunk_count=2,
    warnings=(Caution("FORMAT_MISMATCH", "a.md is a PDF, and was read as such."),),
)
BROKEN = replace(WAITING, status="failed", failure=Failure("PARSE_ERROR", "no text"))


@pytest.fixture
def jobs(items: Items, clock: Clock) -> Jobs:
    return Jobs(items, clock)


@pytest.fixture
def begin(jobs: Jobs, clock: Clock) -> Callable[..., Job]:
    """Makes a job of so many documents that wait."""

    def make(documents: int = 1, id: str = "job_1", org: str = "acme") -> Job:
        now = iso(clock.now)
        job = Job(id, "default", now, now, "a.md", 0, sender="ann", chunking=Chunking(64, 8))
        assert jobs.create(org, job, [WAITING] * documents)
        return now_of(jobs, id, org)

    return make


def now_of(jobs: Jobs, id: str = "job_1", org: str = "acme") -> Job:
    job = jobs.get(org, id)
    assert job is not None
    return job


def test_a_job_comes_back_with_what_becomes_of_its_documents(
    jobs: Jobs, begin: Callable[..., Job]
) -> None:
    job = begin(3)
    assert (job.status, job.total, job.chunking) == ("queued", 3, Chunking(64, 8))
    assert jobs.results("acme", job) == [WAITING] * 3
    assert jobs.begin("acme", job, 1) == replace(WAITING, status="processing")
    assert now_of(jobs).status == "processing"
    assert jobs.close("acme", "job_1", 1, DONE)
    jobs.end("acme", "job_1", 0, "failed", BROKEN.failure)
    job = now_of(jobs)
    assert (job.finished, job.indexed, job.chunks, job.status) == (2, 1, 2, "processing")
    assert jobs.results("acme", job) == [BROKEN, DONE, WAITING]
    assert DONE.vector_ids == ("doc_1.v.0", "doc_1.v.1")
    assert jobs.close("acme", "job_1", 2, DONE)
    assert now_of(jobs).status == "completed"
    assert (jobs.get("other", "job_1"), jobs.get("acme", "job_2")) == (None, None)


def test_a_job_of_which_nothing_was_indexed_has_failed(
    jobs: Jobs, begin: Callable[..., Job]
) -> None:
    begin(1)
    assert jobs.close("acme", "job_1", 0, BROKEN)
    assert (now_of(jobs).status, now_of(jobs).failure) == ("failed", BROKEN.failure)


def test_a_job_that_is_made_twice_is_as_it_was(
    jobs: Jobs, begin: Callable[..., Job], clock: Clock
) -> None:
    job = begin(250)
    assert jobs.close("acme", "job_1", 120, DONE)
    assert not jobs.create("acme", job, [WAITING] * 250)
    assert [at for at, one in enumerate(jobs.results("acme", job)) if not one.is_open] == [120]
    assert now_of(jobs).finished == 1


def test_a_document_is_finished_once(jobs: Jobs, begin: Callable[..., Job]) -> None:
    job = begin(1)
    assert jobs.close("acme", "job_1", 0, DONE)
    assert not jobs.close("acme", "job_1", 0, BROKEN)
    assert not jobs.close("acme", "job_2", 0, DONE)
    assert jobs.begin("acme", now_of(jobs), 0) is None
    assert jobs.results("acme", job) == [DONE]
    assert now_of(jobs).finished == 1


def test_what_has_failed_can_be_opened_again_and_counts_once(
    jobs: Jobs, begin: Callable[..., Job]
) -> None:
    begin(1)
    jobs.close("acme", "job_1", 0, BROKEN)
    assert jobs.begin("acme", now_of(jobs), 0) is None
    assert jobs.begin("acme", now_of(jobs), 0, again=True) == replace(WAITING, status="processing")
    assert (now_of(jobs).finished, now_of(jobs).status) == (0, "processing")
    assert jobs.close("acme", "job_1", 0, DONE)
    assert (now_of(jobs).finished, now_of(jobs).status) == (1, "completed")
    assert jobs.begin("acme", now_of(jobs), 0, again=True) is None


def test_after_a_cancellation_nothing_is_begun_or_finished(
    jobs: Jobs, begin: Callable[..., Job]
) -> None:
    begin(2)
    jobs.close("acme", "job_1", 0, DONE)
    cancelled = jobs.cancel("acme", now_of(jobs))
    assert cancelled == now_of(jobs) == jobs.cancel("acme", cancelled)
    assert (cancelled.status, cancelled.over, cancelled.finished) == ("failed", CANCELLED, 1)
    assert jobs.begin("acme", cancelled, 1) is None
    assert not jobs.close("acme", "job_1", 1, DONE)
    statuses = [one.status for one in jobs.results("acme", cancelled)]
    assert statuses == ["created", "cancelled"]


def test_what_is_done_cannot_be_cancelled(jobs: Jobs, begin: Callable[..., Job]) -> None:
    before = begin(1)
    jobs.close("acme", "job_1", 0, DONE)
    with pytest.raises(Conflict):
        jobs.cancel("acme", before)  # who asks has not seen that it is done
    assert now_of(jobs).status == "completed"


def test_an_events_job_starts_anew_unless_it_was_cancelled(jobs: Jobs, clock: Clock) -> None:
    job = Job("job_1", "default", iso(clock.now), iso(clock.now), "a.md", 1)
    working = Result("a.md", "processing")
    for _ in range(2):
        assert jobs.restart("acme", job, working)
        assert (now_of(jobs).status, now_of(jobs).finished) == ("processing", 0)
        assert jobs.close("acme", "job_1", 0, DONE)
    assert jobs.restart("acme", job, working)
    jobs.cancel("acme", now_of(jobs))
    assert not jobs.restart("acme", job, working)


def test_jobs_are_listed_newest_first_and_go_on_after_a_page(
    jobs: Jobs, begin: Callable[..., Job]
) -> None:
    for number in range(120):
        begin(id=f"job_{number:03d}")
    begin(id="job_999", org="other")
    ids = [one.id for one in jobs.latest("acme")]
    assert ids == [f"job_{number:03d}" for number in reversed(range(120))]
    assert [one.id for one in jobs.latest("acme", "job_002")] == ["job_001", "job_000"]


def test_a_job_that_has_been_silent_for_too_long_has_failed_until_it_goes_on(
    jobs: Jobs, begin: Callable[..., Job], clock: Clock
) -> None:
    job = begin(2)
    clock.now += LONGEST_SECONDS - 10
    assert now_of(jobs).status == "queued"
    clock.now += 20
    stalled = now_of(jobs)
    assert (stalled.status, stalled.over) == ("failed", STALLED)
    assert [one.failure for one in jobs.results("acme", stalled)] == [STALLED] * 2
    assert jobs.begin("acme", stalled, 0) is not None
    assert now_of(jobs).status == "processing"
    assert jobs.close("acme", job.id, 0, DONE)


def test_a_file_that_never_comes_fails_its_job(jobs: Jobs, clock: Clock) -> None:
    now, until = iso(clock.now), iso(clock.now + 100)
    jobs.create("acme", Job("job_1", "s", now, now, "a", 1, upload_until=until), [WAITING])
    clock.now += 99
    assert now_of(jobs).status == "queued"
    clock.now += 2
    assert (now_of(jobs).status, now_of(jobs).over) == ("failed", NOT_UPLOADED)
    assert jobs.begin("acme", now_of(jobs), 0) is not None  # it came at the last moment
    assert now_of(jobs).status == "processing"


def test_a_job_is_forgotten_after_a_while(
    jobs: Jobs, begin: Callable[..., Job], clock: Clock
) -> None:
    begin()
    clock.now += KEPT_SECONDS + 1
    assert jobs.get("acme", "job_1") is None
    assert list(jobs.latest("acme")) == []


def test_however_many_finish_and_cancel_at_once_the_counts_are_those_of_the_rows(
    jobs: Jobs, begin: Callable[..., Job], dice: Random
) -> None:
    for round in range(3):
        job = begin(20, id=f"job_{round}")
        after = dice.randrange(60)

        def act(number: int, job: Job = job, after: int = after) -> None:
            if number == after:
                jobs.cancel("acme", job)
            jobs.close("acme", job.id, number % 20, DONE if number % 3 else BROKEN)

        with ThreadPoolExecutor(4) as hands:
            for done in [hands.submit(act, number) for number in range(60)]:
                error = done.exception()
                assert error is None or isinstance(error, Conflict)
        job = now_of(jobs, job.id)
        results = jobs.results("acme", job)
        closed = [one for one in results if one.status in ("created", "failed")]
        created = [one for one in closed if one.status == "created"]
        assert (job.finished, job.indexed, job.chunks) == (
            len(closed),
            len(created),
            2 * len(created),
        )
        assert job.over == CANCELLED or job.is_done


def test_a_cancellation_draws_a_line_though_many_finish_and_open_again_meanwhile(
    jobs: Jobs, begin: Callable[..., Job], dice: Random
) -> None:
    documents = 12
    job = begin(documents)
    hands = [dice.sample(range(documents), documents) for _ in range(5)]
    when = dice.randrange(documents)
    seen: list[list[Result]] = []

    def cancel_at(at: int) -> None:
        if at == when:
            with suppress(Conflict):
                seen.append(jobs.results("acme", jobs.cancel("acme", now_of(jobs))))

    def finish(numbers: list[int]) -> None:
        for at, number in enumerate(numbers):
            if numbers is hands[0]:
                cancel_at(at)
            jobs.close("acme", job.id, number, DONE if dice.random() < 0.5 else BROKEN)
            jobs.begin("acme", now_of(jobs), number, again=True)

    with ThreadPoolExecutor(len(hands)) as threads:
        list(threads.map(finish, hands))
    job = now_of(jobs)
    results = jobs.results("acme", job)
    finished = [one for one in results if not one.is_open and one.status != "cancelled"]
    indexed = [one for one in finished if one.status == "created"]
    assert (job.finished, job.indexed, job.chunks) == (
        len(finished),
        len(indexed),
        2 * len(indexed),
    )
    assert not seen or results == seen[0]
