"""`Idempotency-Key`: a request that is sent again makes nothing new."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from rag.errors import Unavailable
from rag.stores.repeats import KEPT_SECONDS
from tests.conftest import Clock, Server
from tests.wire.platform.conftest import INGEST, Person, outcome, sweep
from tests.worker import work

NEWTS = {"id": "newts", "text": "Newts live in ponds."}
GIF = {"content": "R0lGODlhAAA=", "mediaType": "image/gif"}


def test_the_same_key_answers_with_the_first_job_however_far_that_is(
    server: Server, ann: Person
) -> None:
    first = ann.send(NEWTS, key="k").json()
    assert ann.send(NEWTS, key="k").json() == first
    work(server.footnote)
    again = ann.send(NEWTS, key="k")
    assert (again.status_code, again.json()) == (202, ann.job(first["jobId"]))
    assert again.json()["status"] == "completed"
    assert work(server.footnote) == []
    assert len(ann.jobs()) == 1


def test_a_cancelled_job_is_not_begun_again_by_its_key(server: Server, ann: Person) -> None:
    id = ann.begin(NEWTS, key="k")
    ann.cancel(id)
    assert ann.send(NEWTS, key="k").json()["failure"]["code"] == "CANCELLED"
    work(server.footnote)
    assert ann.found("Where do newts live?") == []


@pytest.mark.parametrize(
    "change",
    [
        {"documents": [{**NEWTS, "text": "Newts have left."}]},
        {"documents": [NEWTS, NEWTS | {"id": "more"}]},
        {"documents": [{**NEWTS, "metadata": {"a": 1}}]},
        {"chunkSize": 100},
    ],
)
def test_another_request_under_the_same_key_is_a_conflict(
    ann: Person, change: dict[str, Any]
) -> None:
    ann.begin(NEWTS, key="k")
    answer = ann.send(NEWTS, key="k", **change)
    assert answer.status_code == 409
    assert answer.json() == {
        "error": "Conflict",
        "message": "This Idempotency-Key was used for another request.",
        "details": {},
    }
    assert len(ann.jobs()) == 1


def test_the_same_request_may_be_written_otherwise(ann: Person) -> None:
    id = ann.begin(NEWTS, key="k", chunkSize=100)
    body = {
        "chunkSize": 100.0,
        "chunkOverlap": None,
        "documents": [{"text": NEWTS["text"], "tags": None, "id": NEWTS["id"]}],
        "dataSourceId": "default",
    }
    headers = {"Idempotency-Key": "k", "Content-Type": "application/json"}
    again = ann.ask("POST", INGEST, headers, content=json.dumps(body, indent=4))
    assert again.json()["jobId"] == id


def test_a_key_is_its_senders_own(ann: Person, bob: Person, zoe: Person, server: Server) -> None:
    namesake = Person(server, "ann", "zeta")
    ids = {person.begin(NEWTS, key="k") for person in (ann, bob, zoe, namesake)}
    assert len(ids) == 4


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("", "Idempotency-Key must not be empty"),
        ("x" * 257, "Idempotency-Key must have at most 256 characters"),
    ],
)
def test_a_key_that_is_none_is_refused(ann: Person, key: str, message: str) -> None:
    answer = ann.send(NEWTS, key=key)
    assert answer.status_code == 400
    assert answer.json()["details"] == {"field": "Idempotency-Key", "message": message}
    assert ann.jobs() == []
    assert ann.send(NEWTS, key="x" * 256).status_code == 202


def test_ten_at_once_with_one_key_are_one_job(server: Server, ann: Person, clock: Clock) -> None:
    documents = [{"id": str(number), "text": f"Newt {number}."} for number in range(3)]
    with ThreadPoolExecutor(10) as callers:
        answers = list(callers.map(lambda _: ann.send(*documents, key="k"), range(10)))
    assert [answer.status_code for answer in answers] == [202] * 10
    [id] = {answer.json()["jobId"] for answer in answers}
    work(server.footnote)
    sweep(server, clock)  # whoever was not the first has left a lease
    work(server.footnote)
    job = ann.job(id)
    assert (job["progress"]["finished"], job["indexed"]) == (3, 3)
    assert outcome(job) == ["created"] * 3
    assert len(ann.jobs()) == 1


def test_a_key_is_forgotten_after_a_day(ann: Person, clock: Clock) -> None:
    first = ann.begin(NEWTS, key="k")
    clock.now += KEPT_SECONDS - 1
    assert ann.begin(NEWTS, key="k") == first
    clock.now += 2
    assert ann.begin(NEWTS, key="k") != first


def test_a_request_that_was_refused_leaves_its_key_to_the_mended_one(ann: Person) -> None:
    assert ann.send(GIF, key="k").status_code == 415
    assert ann.send({"uploadId": "upl_0"}, key="k").status_code == 400
    assert ann.send(NEWTS, into="nowhere", key="k").status_code == 404
    assert ann.send(NEWTS, key="k").status_code == 202


def test_a_request_that_broke_off_is_completed_by_its_repetition(
    server: Server, ann: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any) -> None:
        raise Unavailable("away")

    with monkeypatch.context() as patch:
        patch.setattr(server.footnote.parts.objects, "put", away)
        assert ann.send(NEWTS, key="k").status_code == 503
    id = ann.begin(NEWTS, key="k")
    work(server.footnote)
    assert outcome(ann.job(id)) == ["created"]
    assert [job["jobId"] for job in ann.jobs()] == [id]
