"""Intake: whoever dies in the middle of it leaves nothing, or a job that others complete."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from rag.adapters.embedded.minilm import MiniLM
from rag.footnote import Footnote
from rag.identity import LOCAL_OWNER
from rag.ingest.intake import Batch, Repeat
from rag.ingest.sent import Sent
from rag.ingest.worker import requeue
from rag.job import Job
from rag.model import Chunking
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings
from rag.stores import jobs
from tests.conftest import Clock
from tests.worker import work

TEXTS = ("Newts live in ponds.", "Efts live in woods.", "Toads live in gardens.")
BATCH = Batch("default", tuple(Sent(text=text) for text in TEXTS), Chunking())
REPEAT = Repeat("key", "digest")


class Killed(BaseException):
    """What kill -9 does."""


@pytest.fixture
def footnote(
    tmp_path: Path, minilm: MiniLM, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> Footnote:
    monkeypatch.setattr(jobs, "MOST_WRITES", 2)  # so that a job is written in several steps
    return bootstrap(Settings(data_dir=tmp_path), embedder=minilm, clock=clock)


Accept = Callable[..., Job | None]


@pytest.fixture(params=["before", "after"])
def accept(
    request: pytest.FixtureRequest, footnote: Footnote, monkeypatch: pytest.MonkeyPatch
) -> Accept:
    """Accepts the batch; dies at the write of this number, just before it or just after it."""
    parts = footnote.parts
    writes: list[tuple[object, str]] = [
        (parts.items, "write"), (parts.items, "write_lightly"), (parts.fleeting, "write"),
        (parts.objects, "put"), (parts.queue, "send"),
    ]  # fmt: skip

    def accept(number: int = -1, repeat: Repeat | None = None) -> Job | None:
        numbers = count()

        def deadly(write: Callable[..., None]) -> Callable[..., None]:
            def call(*arguments: Any, **named: Any) -> None:
                dies = next(numbers) == number
                if dies and request.param == "before":
                    raise Killed
                write(*arguments, **named)
                if dies:
                    raise Killed

            return call

        with monkeypatch.context() as patch:
            for part, name in writes:
                patch.setattr(part, name, deadly(getattr(part, name)))
            try:
                return footnote.intake.accept(LOCAL_OWNER, BATCH, repeat)
            except Killed:
                return None

    return accept


def come_to_an_end(footnote: Footnote, clock: Clock) -> list[Job]:
    """Whatever a minute brings; returns the jobs."""
    clock.now += 60
    requeue(footnote.worker.leases, footnote.parts.queue)
    assert work(footnote) == []
    clock.now += 2000
    assert list(footnote.worker.leases.expired()) == []
    return list(footnote.jobs.latest(LOCAL_OWNER.org))


def texts(footnote: Footnote) -> set[str]:
    documents = footnote.documents
    return {documents.text("local", one) for one in documents.all("local")}


# The object, the lease, two times rows, the head, the messages, and the lease's end.
WRITES = 7


@pytest.mark.parametrize("number", range(WRITES))
def test_whoever_dies_leaves_nothing_or_a_job_that_is_completed(
    footnote: Footnote, clock: Clock, accept: Accept, number: int
) -> None:
    assert accept(number) is None
    made = come_to_an_end(footnote, clock)
    assert [(job.status, job.indexed, job.finished) for job in made] in ([], [("completed", 3, 3)])
    assert texts(footnote) == (set(TEXTS) if made else set())


@pytest.mark.parametrize("number", range(WRITES + 1))  # and the key
def test_whoever_died_and_asks_again_under_the_same_key_has_one_job(
    footnote: Footnote, clock: Clock, accept: Accept, number: int
) -> None:
    assert accept(number, REPEAT) is None
    again = accept(repeat=REPEAT)
    assert again is not None
    [job] = come_to_an_end(footnote, clock)
    assert (job.id, job.status, job.indexed) == (again.id, "completed", 3)
    assert texts(footnote) == set(TEXTS)
    assert accept(repeat=REPEAT) == job


def test_there_are_no_more_writes_than_were_tried(accept: Accept) -> None:
    assert accept(WRITES) is not None
    assert accept(WRITES + 1, REPEAT) is not None


def test_the_model_is_not_loaded_by_whoever_only_queues(footnote: Footnote) -> None:
    def load() -> str:
        raise AssertionError

    intake = replace(footnote.intake, model=load)
    assert intake.accept(LOCAL_OWNER, BATCH).status == "queued"
    with pytest.raises(AssertionError):
        intake.accept(LOCAL_OWNER, replace(BATCH, model="any"))
