"""`DELETE /api/rag/ingest/{jobId}`: what is finished stays, and nothing else is ever found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from rag.ingest.pipeline import Ingestion
from rag.ingest.worker import redrive
from rag.stores.documents import Documents
from tests.conftest import Clock, Server
from tests.wire.platform.conftest import Interrupted, Person, outcome, sweep
from tests.worker import work

NEWTS = {"id": "newts", "text": "Newts live in ponds."}
EFTS = {"id": "efts", "text": "Efts live in the woods."}
TOADS = {"id": "toads", "text": "Toads live in gardens."}
CANCELLED = {"code": "CANCELLED", "message": "The job was cancelled before this was done."}


def test_a_job_that_has_not_begun_never_does(server: Server, ann: Person, clock: Clock) -> None:
    id = ann.begin(NEWTS, EFTS)
    clock.now += 5
    answer = ann.cancel(id)
    assert answer.status_code == 200
    job = answer.json()
    assert (job["status"], job["failure"]) == ("failed", CANCELLED)
    assert (job["progress"]["finished"], job["indexed"], job["vectorIds"]) == (0, 0, [])
    assert [(one["status"], one["failure"]) for one in job["results"]] == [
        ("cancelled", CANCELLED)
    ] * 2
    assert job["updatedAt"] > job["createdAt"]
    assert ann.job(id) == ann.cancel(id).json() == job  # again is the same
    assert ann.jobs()[0]["failure"] == CANCELLED
    work(server.footnote)
    assert ann.job(id) == job
    assert ann.found("Where do newts live?") == []


Interrupt = Callable[[Callable[[], object]], None]


@pytest.fixture(params=["before it is embedded", "before it goes live", "after it was read"])
def in_the_middle(
    request: pytest.FixtureRequest, embedder: Interrupted, monkeypatch: pytest.MonkeyPatch
) -> Interrupt:
    """Has something happen while a worker is at efts."""

    def interrupt(do: Callable[[], object]) -> None:
        if request.param == "before it is embedded":
            embedder.before = lambda texts: do() if "Efts" in str(texts) else None
            return
        whose: type = Documents if request.param == "before it goes live" else Ingestion
        name = "publish" if whose is Documents else "ingest"
        method = getattr(whose, name)

        def interrupted(self: Any, org: str, what: Any, *more: Any, **named: Any) -> Any:
            if "efts" in str(what):
                do()
            return method(self, org, what, *more, **named)

        monkeypatch.setattr(whose, name, interrupted)

    return interrupt


def test_what_a_worker_is_at_is_never_found_and_what_is_finished_stays(
    server: Server, ann: Person, clock: Clock, in_the_middle: Interrupt
) -> None:
    id = ann.begin(NEWTS, EFTS, TOADS)
    answers: list[Any] = []
    in_the_middle(lambda: answers.append(ann.cancel(id).json()))
    assert work(server.footnote) == []
    job = ann.job(id)
    assert answers == [job]
    assert (job["status"], outcome(job)) == ("failed", ["created", "CANCELLED", "CANCELLED"])
    assert (job["progress"]["finished"], job["indexed"], job["chunks"]) == (1, 1, 1)
    assert len(job["vectorIds"]) == 1
    for _ in range(2):
        assert ann.found("Where do newts, efts and toads live?") == [NEWTS["text"]]
        listed = ann.ask("GET", "/api/rag/documents").json()["documents"]
        assert [document["path"] for document in listed] == ["newts"]
        sweep(server, clock, after=4000)  # what was written aside is swept
    assert server.footnote.parts.dead.receive(seconds=0) == []


def test_a_former_version_stays_where_its_successor_is_cancelled(
    server: Server, ann: Person, in_the_middle: Interrupt
) -> None:
    ann.begin(EFTS)
    work(server.footnote)
    id = ann.begin({**EFTS, "text": "Efts have left."})
    in_the_middle(lambda: ann.cancel(id))
    work(server.footnote)
    assert outcome(ann.job(id)) == ["CANCELLED"]
    assert ann.found("Where do efts live?") == [EFTS["text"]]


def test_documents_that_were_cancelled_can_be_sent_again(server: Server, ann: Person) -> None:
    ann.cancel(ann.begin(NEWTS))
    id = ann.begin(NEWTS)
    work(server.footnote)
    assert outcome(ann.job(id)) == ["created"]
    assert ann.found("Where do newts live?") == [NEWTS["text"]]


def test_a_job_that_is_done_cannot_be_cancelled(server: Server, ann: Person) -> None:
    id = ann.begin(NEWTS)
    work(server.footnote)
    answer = ann.cancel(id)
    assert answer.status_code == 409
    assert answer.json() == {
        "error": "Conflict",
        "message": "The job is done; there is nothing left to cancel.",
        "details": {},
    }
    assert ann.job(id)["status"] == "completed"


def test_what_an_operator_has_sent_back_can_be_cancelled(
    server: Server, ann: Person, embedder: Interrupted, clock: Clock
) -> None:
    def fail(texts: Sequence[str]) -> None:
        raise ZeroDivisionError

    id = ann.begin(NEWTS, EFTS)
    embedder.before = fail
    while work(server.footnote):
        clock.now += 1000
    assert ann.cancel(id).status_code == 409
    embedder.before = lambda texts: ann.cancel(id)
    assert len(redrive(server.footnote.parts.dead, server.footnote.parts.queue)) == 2
    work(server.footnote)
    job = ann.job(id)
    assert job["failure"] == CANCELLED
    assert (job["indexed"], job["progress"]["finished"]) == (0, 1)
    assert ann.found("Where do newts live?") == []


# Who may watch, and who may cancel

SEEN, NOT_YOURS, ABSENT = (200, 200), (200, 403), (404, 404)


@pytest.mark.parametrize(
    ("visibility", "sender", "expected"),
    [
        ("default", "ann", {"ann": SEEN, "bob": NOT_YOURS, "root": SEEN, "zoe": ABSENT}),
        ("default", "bob", {"ann": NOT_YOURS, "bob": SEEN, "root": SEEN, "zoe": ABSENT}),
        ("public", "ann", {"ann": SEEN, "bob": NOT_YOURS, "root": SEEN, "zoe": ABSENT}),
        ("public", "root", {"ann": SEEN, "bob": NOT_YOURS, "root": SEEN, "zoe": ABSENT}),
        ("personal", "ann", {"ann": SEEN, "bob": ABSENT, "root": ABSENT, "zoe": ABSENT}),
        ("personal", "root", {"ann": SEEN, "bob": ABSENT, "root": SEEN, "zoe": ABSENT}),
    ],
)
def test_the_sender_the_sources_owner_and_admins_cancel_what_they_see(
    request: pytest.FixtureRequest,
    ann: Person,
    visibility: str,
    sender: str,
    expected: dict[str, tuple[int, int]],
) -> None:
    source = "default" if visibility == "default" else ann.source(visibility)
    people = {name: request.getfixturevalue(name) for name in expected}
    for name, (reading, cancelling) in expected.items():
        id = people[sender].begin(NEWTS, into=source)
        person = people[name]
        assert person.ask("GET", f"/api/rag/ingest/{id}").status_code == reading
        assert (id in [job["jobId"] for job in person.jobs()]) == (reading == 200)
        answer = person.cancel(id)
        assert answer.status_code == cancelling
        if cancelling == 404:
            absent = id[:-4] + "0000"
            other = person.cancel(absent)
            assert answer.text.replace(id, "") == other.text.replace(absent, "")
            assert sorted(answer.headers) == sorted(other.headers)
        if cancelling == 403:
            assert answer.json()["code"] == "PERMISSION_DENIED"
        status = people[sender].job(id)["status"]
        assert status == ("failed" if cancelling == 200 else "queued")


def test_a_job_of_a_source_that_is_gone_is_its_senders_alone(
    ann: Person, bob: Person, root: Person
) -> None:
    source = ann.source("public")
    id = root.begin(NEWTS, into=source)
    assert bob.job(id) == ann.job(id)
    ann.ask("DELETE", f"/api/rag/sources/{source}")
    for person in (ann, bob):
        assert person.cancel(id).status_code == 404
        assert person.jobs() == []
    assert root.cancel(id).status_code == 200
