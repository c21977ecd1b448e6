"""A file that comes by a form, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable
from threading import Barrier
from typing import Any

import pytest

from rag.clock import iso
from rag.errors import EmbeddingFailed
from rag.ingest.intake import GRACE_SECONDS
from rag.ingest.notices import notice
from rag.ingest.worker import redrive
from rag.model import Change
from rag.stores.tickets import FORM_SECONDS, KEPT_SECONDS
from tests.conftest import Clock, Server
from tests.wire.platform.conftest import Interrupted, Person, outcome
from tests.worker import work

TEXT = b"# Newts\n\nNewts live in ponds."

Come = Callable[..., None]


@pytest.fixture
def come(server: Server) -> Come:
    """Has the file of a form come."""

    def post(form: dict[str, Any], data: bytes = TEXT) -> None:
        answer = server.http.post(form["url"], data=form["fields"], files={"file": data})
        assert answer.status_code == 204, answer.text

    return post


def test_a_file_becomes_a_job_by_itself(
    server: Server, ann: Person, clock: Clock, come: Come
) -> None:
    told = ann.form()
    assert set(told) == {"uploadId", "url", "fields", "expiresAt", "jobId"}
    assert told["url"] == f"{server.url}/uploads"
    assert told["expiresAt"] == iso(clock.now + FORM_SECONDS)
    assert told["fields"]["key"] == f"incoming/acme/{told['uploadId']}/a.md"
    assert told["fields"]["Content-Type"] == "text/markdown"
    job = ann.job(told["jobId"])
    assert (job["status"], job["name"], outcome(job)) == ("queued", "a.md", ["queued"])
    assert work(server.footnote) == []
    assert ann.job(told["jobId"]) == job

    come(told)
    assert work(server.footnote) == []
    job = ann.job(told["jobId"])
    assert (job["status"], outcome(job)) == ("completed", ["created"])
    document = ann.document(job["results"][0]["documentId"])
    assert (document["title"], document["path"]) == ("Newts", "a.md")
    assert ann.found("Where do newts live?") == [TEXT.decode()]


def test_a_file_of_the_same_name_replaces_the_former_one(
    server: Server, ann: Person, come: Come
) -> None:
    for data, expected in ((TEXT, "created"), (b"Newts have left.", "updated")):
        told = ann.form()
        come(told, data)
        work(server.footnote)
        assert outcome(ann.job(told["jobId"])) == [expected]
    assert ann.found("Where do newts live?") == ["Newts have left."]


def test_a_file_that_is_told_of_twice_is_counted_once(
    server: Server, ann: Person, come: Come
) -> None:
    told = ann.form()
    come(told)
    come(told)
    work(server.footnote)
    come(told, b"Put in its place afterwards.")
    work(server.footnote)
    job = ann.job(told["jobId"])
    assert (outcome(job), job["progress"]["finished"], job["indexed"]) == (["created"], 1, 1)
    assert ann.found("Where do newts live?") == [TEXT.decode()]


def test_a_file_that_cannot_be_read_fails_its_job(server: Server, ann: Person, come: Come) -> None:
    told = ann.form()
    come(told, b" \n ")
    work(server.footnote)
    job = ann.job(told["jobId"])
    assert (job["status"], job["failure"]["code"]) == ("failed", "PARSE_ERROR")
    assert job["failure"]["message"] == "a.md has no text."


# It waits


def test_a_file_that_never_comes_fails_its_job_when_the_form_is_over(
    server: Server, ann: Person, clock: Clock
) -> None:
    told = ann.form()
    clock.now += FORM_SECONDS + GRACE_SECONDS
    assert ann.job(told["jobId"])["status"] == "queued"
    clock.now += 1
    job = ann.job(told["jobId"])
    assert (job["status"], outcome(job)) == ("failed", ["NOT_UPLOADED"])
    assert job["failure"] == {
        "code": "NOT_UPLOADED",
        "message": "The file was never uploaded, and its form has expired.",
    }
    # It has come in time, but word of it was late.
    key = told["fields"]["key"]
    server.footnote.parts.objects.put(key, TEXT)
    server.footnote.parts.queue.send(notice(Change(key, clock.now, "")))
    work(server.footnote)
    assert outcome(ann.job(told["jobId"])) == ["created"]


def test_a_file_whose_job_was_cancelled_is_never_found(
    server: Server, ann: Person, come: Come
) -> None:
    told = ann.form()
    assert ann.cancel(told["jobId"]).status_code == 200
    come(told)
    work(server.footnote)
    assert outcome(ann.job(told["jobId"])) == ["CANCELLED"]
    assert ann.found("Where do newts live?") == []


def test_a_file_that_is_not_to_be_ingested_waits_until_it_is_referred_to(
    server: Server, ann: Person, come: Come
) -> None:
    told = ann.form(ingest=False, filename="notes/a.md")
    assert set(told) == {"uploadId", "url", "fields", "expiresAt"}
    come(told)
    assert work(server.footnote) == []
    assert (ann.jobs(), ann.found("Where do newts live?")) == ([], [])
    about = {"title": "Pond life", "tags": ["pond"], "metadata": {"year": 2026}}
    id = ann.begin({"uploadId": told["uploadId"], **about}, {"text": "Efts live in the woods."})
    work(server.footnote)
    job = ann.job(id)
    assert outcome(job) == ["created", "created"]
    document = ann.document(job["results"][0]["documentId"])
    assert {name: document[name] for name in about} == about
    assert document["text"] == TEXT.decode()


def test_a_file_may_be_referred_to_into_any_source_and_under_any_id(
    server: Server, ann: Person, bob: Person, come: Come
) -> None:
    told = ann.form(ingest=False)
    come(told)
    documents = [{"uploadId": told["uploadId"], "id": id} for id in ("a", "b")]
    id = ann.begin(*documents, into=ann.source("personal"))
    work(server.footnote)
    assert outcome(ann.job(id)) == ["created", "created"]
    assert len(ann.found("Where do newts live?")) == 2
    assert bob.found("Where do newts live?") == []


def test_a_file_that_is_not_there_is_told_by_its_number_whosever_it_is(
    server: Server, ann: Person, zoe: Person, clock: Clock, come: Come
) -> None:
    awaited = ann.form(ingest=False)
    theirs = zoe.form(ingest=False)
    come(theirs)
    for id in ("upl_0", "", "../x", awaited["uploadId"], theirs["uploadId"]):
        answer = ann.send({"text": "Efts."}, {"uploadId": id})
        message = "There is no such upload, or no file yet."
        assert answer.status_code == 400, answer.text
        assert answer.json() == {
            "error": "Validation error",
            "message": message,
            "details": {"field": "documents.1.uploadId", "message": message},
        }
    come(awaited)
    clock.now += KEPT_SECONDS - 1
    assert ann.send({"uploadId": awaited["uploadId"]}).status_code == 202
    clock.now += 1
    assert ann.send({"uploadId": awaited["uploadId"]}).status_code == 400


def test_a_file_referred_to_as_something_else_is_refused_like_any_other(
    ann: Person, come: Come
) -> None:
    told = ann.form(ingest=False, filename="report", mediaType="text/plain")
    come(told)
    answer = ann.send({"uploadId": told["uploadId"], "mediaType": "image/png"})
    assert (answer.status_code, answer.json()["code"]) == (415, "UNSUPPORTED_FORMAT")
    assert answer.json()["message"].startswith("report is a picture and cannot be read")


@pytest.mark.parametrize(
    "changes",
    [
        {"size": 3},
        {"size": 50_000_000},
        {"filename": "Übersicht (1) — 日本語.md"},
        {"filename": "a b/c+d&e=f%41.md"},
        {"filename": "x" * 197 + ".md"},
        {"filename": "notes", "mediaType": "text/plain; charset=utf-8"},
        {"ingest": None},
        {"ingest": True},
        {"more": 1},
    ],
)
def test_what_is_right_is_accepted_and_comes_through(
    server: Server, ann: Person, come: Come, changes: dict[str, Any]
) -> None:
    told = ann.form(**changes)
    come(told, TEXT[2 : changes.get("size")])
    work(server.footnote)
    job = ann.job(told["jobId"])
    assert outcome(job) == ["created"]
    assert job["name"] == changes.get("filename", "a.md")


def test_a_redrive_completes_a_file_that_was_given_up(
    server: Server, ann: Person, embedder: Interrupted, clock: Clock, come: Come
) -> None:
    def fail(_: object) -> None:
        raise EmbeddingFailed("The model is away.")

    told = ann.form()
    come(told)
    embedder.before = fail
    while work(server.footnote):
        clock.now += 1000
    assert outcome(ann.job(told["jobId"])) == ["EMBEDDING_FAILED"]

    embedder.before = lambda texts: None
    [reason] = redrive(server.footnote.parts.dead, server.footnote.parts.queue)
    assert reason["code"] == "EMBEDDING_FAILED"
    assert work(server.footnote) == []
    job = ann.job(told["jobId"])
    assert (job["status"], outcome(job), job["progress"]["finished"]) == (
        "completed", ["created"], 1,
    )  # fmt: skip
    assert ann.found("Where do newts live?") == [TEXT.decode()]


def test_files_are_looked_for_side_by_side(
    server: Server, ann: Person, come: Come, monkeypatch: pytest.MonkeyPatch
) -> None:
    forms = [ann.form(ingest=False) for _ in range(3)]
    for form in forms:
        come(form)
    objects = server.footnote.parts.objects
    head, together = objects.head, Barrier(3)

    def look(key: str) -> Any:
        together.wait(timeout=30)
        return head(key)

    monkeypatch.setattr(objects, "head", look)
    ann.begin(*({"uploadId": form["uploadId"]} for form in forms))
