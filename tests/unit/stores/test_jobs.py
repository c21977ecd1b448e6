from __future__ import annotations

from dataclasses import replace

import pytest

from rag.clock import iso
from rag.ports import Items
from rag.stores.jobs import KEPT_SECONDS, LONGEST_SECONDS, STALLED, Failure, Job, Jobs, Result
from tests.conftest import Clock

RESULT = Result("a.md", "created", "doc_1", 2, ("v0", "v1"))


@pytest.fixture
def jobs(items: Items, clock: Clock) -> Jobs:
    return Jobs(items, clock)


def job(clock: Clock, id: str = "job_1", **changes: object) -> Job:
    now = iso(clock.now)
    return replace(Job(id, "default", "completed", now, now, (RESULT,)), **changes)  # type: ignore[arg-type]


def test_a_job_comes_back_with_what_became_of_its_documents(jobs: Jobs, clock: Clock) -> None:
    failed = Result("b.md", "failed", failure=Failure("PARSE_ERROR", "no text"))
    whole = job(clock, results=(RESULT, failed))
    jobs.put("acme", whole)
    assert jobs.get("acme", "job_1") == whole
    assert jobs.get("other", "job_1") is None
    assert jobs.get("acme", "job_2") is None


def test_jobs_are_listed_newest_first_and_go_on_after_a_page(jobs: Jobs, clock: Clock) -> None:
    for number in range(120):
        jobs.put("acme", job(clock, f"job_{number:03d}"))
    jobs.put("other", job(clock, "job_999"))
    ids = [one.id for one in jobs.latest("acme")]
    assert ids == [f"job_{number:03d}" for number in reversed(range(120))]
    assert [one.id for one in jobs.latest("acme", "job_002")] == ["job_001", "job_000"]


def test_a_job_that_has_been_silent_for_too_long_has_failed(jobs: Jobs, clock: Clock) -> None:
    working = Result("a.md", "processing")
    jobs.put("acme", job(clock, status="processing", results=(working,)))
    clock.now += LONGEST_SECONDS - 10
    assert jobs.get("acme", "job_1").status == "processing"  # type: ignore[union-attr]
    clock.now += 20
    stalled = jobs.get("acme", "job_1")
    assert stalled is not None
    assert (stalled.status, stalled.results[0].failure) == ("failed", STALLED)


def test_a_job_is_forgotten_after_a_while(jobs: Jobs, clock: Clock) -> None:
    jobs.put("acme", job(clock))
    clock.now += KEPT_SECONDS + 1
    assert jobs.get("acme", "job_1") is None
    assert list(jobs.latest("acme")) == []
