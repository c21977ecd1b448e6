"""What is known before the answer is the answer; a document that is bad alone fails alone."""

from __future__ import annotations

from base64 import b64encode

import httpx
import pytest

from rag.ingest.formats.kinds import SUPPORTED
from rag.ports import Update
from rag.stores import layout
from tests.conftest import Server
from tests.wire.platform.conftest import Person, outcome
from tests.worker import work

NEWTS = {"id": "newts", "text": "Newts live in ponds."}
GIF = {"id": "a.gif", "content": b64encode(b"GIF89a\0\0").decode(), "mediaType": "image/gif"}
# An Office file with a password is another file around it.
LOCKED = b64encode(
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")
).decode()
BROKEN = {"id": "broken", "content": b64encode(b" \n").decode(), "mediaType": "text/plain"}


def is_refused(answer: httpx.Response, status: int, error: str, code: str | None) -> None:
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert set(body) == {"error", "message", "details", *(["code"] if code else [])}
    assert (body["error"], body.get("code"), body["details"]) == (error, code, {})


def nothing_was_written(server: Server, person: Person) -> None:
    assert person.jobs() == []
    assert server.footnote.parts.objects.keys("jobs/") == []
    assert server.footnote.parts.queue.receive(seconds=0) == []


# Rights


def test_whoever_may_only_query_a_source_is_told_so(
    server: Server, ann: Person, bob: Person, root: Person
) -> None:
    public = ann.source("public")
    is_refused(bob.send(NEWTS, into=public), 403, "Forbidden", "PERMISSION_DENIED")
    nothing_was_written(server, bob)
    for allowed in (ann, root):
        assert allowed.send(NEWTS, into=public).status_code == 202
    assert bob.send(NEWTS).status_code == 202  # the default source is everybody's


@pytest.mark.parametrize("visibility", ["personal", "private"])
def test_a_source_that_one_may_not_know_is_answered_like_none(
    server: Server, ann: Person, bob: Person, zoe: Person, visibility: str
) -> None:
    source = ann.source(visibility)
    absent = source[:-4] + "0000"
    for stranger in (bob, zoe):
        answers = [stranger.send(NEWTS, into=id) for id in (source, absent)]
        for answer, id in zip(answers, (source, absent), strict=True):
            is_refused(answer, 404, "Not found", None)
            assert answer.json()["message"] == f"There is no data source {id}."
        assert len({tuple(sorted(answer.headers)) for answer in answers}) == 1
        nothing_was_written(server, stranger)


# What can be seen at once


@pytest.mark.parametrize(
    ("documents", "status", "error", "code", "message"),
    [
        ([GIF, {**GIF, "id": "x"}], 415, "Unsupported format", "UNSUPPORTED_FORMAT",
         f"A document of type 'image/gif' is a picture and cannot be read: only {SUPPORTED} can."),
        ([{**GIF, "mediaType": "application/pdf"}], 415, "Unsupported format", "UNSUPPORTED_FORMAT",
         "A document of type 'application/pdf' is a picture and cannot be read:"
         f" only {SUPPORTED} can."),
        ([BROKEN], 422, "Unreadable document", "PARSE_ERROR",
         "A document of type 'text/plain' has no text."),
        ([{**BROKEN, "content": "ü"}], 422, "Unreadable document", "PARSE_ERROR",
         "The content is not base64."),
        ([{**BROKEN, "content": LOCKED, "mediaType": "application/msword"}], 422,
         "Unreadable document", "PARSE_ERROR",
         "A document of type 'application/msword' needs a password to open."),
        ([BROKEN, GIF], 422, "Unreadable document", "PARSE_ERROR",
         "A document of type 'text/plain' has no text."),
    ],
)  # fmt: skip
def test_where_no_document_can_be_read_the_request_is_refused(
    server: Server,
    ann: Person,
    documents: list[dict[str, str]],
    status: int,
    error: str,
    code: str,
    message: str,
) -> None:
    answer = ann.send(*documents)
    is_refused(answer, status, error, code)
    assert answer.json()["message"] == message
    nothing_was_written(server, ann)


def test_one_bad_document_does_not_fail_the_others(server: Server, ann: Person) -> None:
    id = ann.begin(GIF, NEWTS, BROKEN)
    job = ann.job(id)
    assert outcome(job) == ["UNSUPPORTED_FORMAT", "queued", "PARSE_ERROR"]
    assert (job["status"], job["progress"]) == ("queued", {"total": 3, "finished": 2})
    work(server.footnote)
    job = ann.job(id)
    assert outcome(job) == ["UNSUPPORTED_FORMAT", "created", "PARSE_ERROR"]
    assert (job["status"], job["indexed"]) == ("completed", 1)
    assert "failure" not in job
    assert server.footnote.parts.dead.receive(seconds=0) == []  # nobody could mend those


# The quota


@pytest.fixture
def almost_full(server: Server) -> None:
    """Ann's org may store nineteen bytes more."""
    limit = server.settings.storage_quota * 1_000_000
    server.footnote.parts.items.write(Update(layout.epoch("acme"), add={"bytes": limit - 19}))


@pytest.mark.usefixtures("almost_full")
def test_what_would_go_beyond_the_quota_is_refused_before_anything_is_written(
    server: Server, ann: Person, zoe: Person
) -> None:
    answer = ann.send(NEWTS)
    is_refused(answer, 507, "Storage is full", "INDEX_FULL")
    assert "STORAGE_QUOTA" in answer.json()["message"]
    is_refused(
        ann.send({"text": "Ten bytes."}, {"text": "Ten bytes!"}),
        507, "Storage is full", "INDEX_FULL",
    )  # fmt: skip
    nothing_was_written(server, ann)
    assert ann.send({"text": "Ten bytes."}).status_code == 202
    assert zoe.send(NEWTS).status_code == 202


def test_what_takes_no_more_room_is_accepted_though_nothing_is_left(
    server: Server, ann: Person, request: pytest.FixtureRequest
) -> None:
    ann.begin(NEWTS)
    work(server.footnote)
    request.getfixturevalue("almost_full")
    shorter = {**NEWTS, "text": "Newts left."}
    id = ann.begin(shorter)
    work(server.footnote)
    assert outcome(ann.job(id)) == ["updated"]


@pytest.mark.usefixtures("almost_full")
def test_a_file_that_a_worker_finds_to_be_too_much_fails_alone(server: Server, ann: Person) -> None:
    content = b64encode(NEWTS["text"].encode()).decode()
    id = ann.begin({"content": content, "mediaType": "text/plain"}, {"text": "Ten bytes."})
    work(server.footnote)
    job = ann.job(id)
    assert (job["status"], outcome(job)) == ("completed", ["INDEX_FULL", "created"])
    assert ann.found("Where do newts live?") == ["Ten bytes."]
