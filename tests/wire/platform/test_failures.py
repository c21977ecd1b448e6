"""What a worker finds later is in the job, and what may pass is tried again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rag.errors import EmbeddingFailed
from rag.ingest.worker import MOST_ATTEMPTS, redrive
from tests.conftest import Clock, Server
from tests.wire.platform.conftest import Interrupted, Person, outcome
from tests.worker import work

NEWTS = {"id": "newts", "text": "Newts live in ponds."}
EFTS = {"id": "efts", "text": "Efts live in the woods."}


def fail_on(word: str, error: Exception) -> Callable[[Sequence[str]], None]:
    def fail(texts: Sequence[str]) -> None:
        if any(word in text for text in texts):
            raise error

    return fail


def test_a_model_that_fails_to_the_end_fails_its_document_alone_and_a_redrive_completes_it(
    server: Server, ann: Person, embedder: Interrupted, clock: Clock
) -> None:
    id = ann.begin(NEWTS, EFTS)
    embedder.before = fail_on("Newts", EmbeddingFailed("The model is away."))
    for _ in range(MOST_ATTEMPTS - 1):
        assert len(work(server.footnote)) == 1
        assert outcome(ann.job(id)) == ["processing", "created"]
        clock.now += 1000
    assert work(server.footnote) == []
    job = ann.job(id)
    assert (job["status"], outcome(job)) == ("completed", ["EMBEDDING_FAILED", "created"])
    assert job["results"][0]["failure"]["message"] == "The model is away."
    assert (job["progress"]["finished"], job["indexed"]) == (2, 1)
    assert NEWTS["text"] not in ann.found("Where do newts live?")

    embedder.before = lambda texts: None
    [reason] = redrive(server.footnote.parts.dead, server.footnote.parts.queue)
    assert reason["code"] == "EMBEDDING_FAILED"
    assert work(server.footnote) == []
    job = ann.job(id)
    assert (job["status"], outcome(job)) == ("completed", ["created", "created"])
    assert (job["progress"]["finished"], job["indexed"], job["chunks"]) == (2, 2, 2)
    assert NEWTS["text"] in ann.found("Where do newts live?")


def test_a_job_of_which_nothing_was_indexed_has_failed_and_says_why(
    server: Server, ann: Person, embedder: Interrupted, clock: Clock
) -> None:
    id = ann.begin(NEWTS)
    embedder.before = fail_on("Newts", EmbeddingFailed("The model is away."))
    while work(server.footnote):
        clock.now += 1000
    failure = {"code": "EMBEDDING_FAILED", "message": "The model is away."}
    job = ann.job(id)
    assert (job["status"], job["failure"]) == ("failed", failure)
    [listed] = ann.jobs()
    assert (listed["status"], listed["failure"]) == ("failed", failure)

    redrive(server.footnote.parts.dead, server.footnote.parts.queue)
    embedder.before = lambda texts: seen.append(ann.job(id)["status"])
    seen: list[str] = []
    work(server.footnote)
    job = ann.job(id)
    assert (seen, job["status"], "failure" in job) == (["processing"], "completed", False)


def test_a_mistake_of_ours_tells_nothing_of_itself(
    server: Server, ann: Person, embedder: Interrupted, clock: Clock
) -> None:
    id = ann.begin(NEWTS)
    embedder.before = fail_on("Newts", ZeroDivisionError("secret"))
    while work(server.footnote):
        clock.now += 1000
    job = ann.job(id)
    assert job["failure"]["code"] == "INTERNAL_ERROR"
    assert "secret" not in str(job)


def test_a_text_that_is_too_long_is_told_what_to_do(
    start: Callable[..., Server], clock: Clock
) -> None:
    server = start({"LONGEST_UPLOAD": "100"}, clock=clock)
    ann = Person(server, "ann")
    id = ann.begin({"text": "word " * 101}, NEWTS)
    work(server.footnote)
    job = ann.job(id)
    assert outcome(job) == ["TOO_LARGE", "created"]
    assert "LONGEST_UPLOAD" in job["results"][0]["failure"]["message"]


def test_content_that_is_gone_before_a_worker_comes_fails_its_document(
    server: Server, ann: Person
) -> None:
    id = ann.begin(NEWTS)
    [key] = server.footnote.parts.objects.keys("jobs/")
    server.footnote.parts.objects.delete(key)
    work(server.footnote)
    job = ann.job(id)
    assert outcome(job) == ["NOT_FOUND"]
    assert "send it again" in job["failure"]["message"]


def test_a_source_that_is_deleted_meanwhile_fails_what_was_on_its_way(
    server: Server, ann: Person
) -> None:
    source = ann.source("public")
    id = ann.begin(NEWTS, into=source)
    assert ann.ask("DELETE", f"/api/rag/sources/{source}").status_code == 200
    work(server.footnote)
    job = ann.job(id)
    assert (job["status"], outcome(job)) == ("failed", ["NOT_FOUND"])
    assert ann.found("Where do newts live?") == []
