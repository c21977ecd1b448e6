"""`POST /api/rag/ingest` with documents: what is accepted, and what becomes of it."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import httpx
import pytest

from tests.conftest import Server
from tests.wire.platform.conftest import INGEST, Interrupted, Person, outcome
from tests.worker import work

NEWTS = {"id": "newts", "text": "Newts live in ponds."}
EFTS = {"id": "efts", "text": "Efts live in the woods."}
V3 = {"source": "s", "path": "/p", "title": "T", "text": "Newts live in ponds."}


def test_documents_become_a_job_that_can_be_watched_until_they_are_found(
    server: Server, ann: Person, embedder: Interrupted
) -> None:
    accepted = ann.send(NEWTS, EFTS)
    assert accepted.status_code == 202
    job = accepted.json()
    assert job == {
        "jobId": job["jobId"],
        "status": "queued",
        "dataSourceId": "default",
        "name": "newts",
        "progress": {"total": 2, "finished": 0},
        "indexed": 0,
        "chunks": 0,
        "vectorIds": [],
        "results": [
            {"name": name, "status": "queued", "documentId": None, "chunkCount": 0}
            for name in ("newts", "efts")
        ],
        "createdAt": job["createdAt"],
        "updatedAt": job["updatedAt"],
    }
    assert ann.job(job["jobId"]) == job
    assert ann.found("Where do newts live?") == []

    seen: list[tuple[str, int, list[str]]] = []

    def look(_: object) -> None:
        now = ann.job(job["jobId"])
        seen.append((now["status"], now["progress"]["finished"], outcome(now)))

    embedder.before = look
    work(server.footnote)
    embedder.before = lambda texts: None
    assert seen == [
        ("processing", 0, ["processing", "queued"]),
        ("processing", 1, ["created", "processing"]),
    ]
    done = ann.job(job["jobId"])
    assert (done["status"], done["progress"]) == ("completed", {"total": 2, "finished": 2})
    assert (done["indexed"], done["chunks"], len(set(done["vectorIds"]))) == (2, 2, 2)
    assert "failure" not in done
    assert ann.found("Where do newts live?")[0] == NEWTS["text"]
    assert ann.found("Where do efts live?")[0] == EFTS["text"]
    for result in done["results"]:
        assert ann.document(result["documentId"])["path"] == result["name"]


def test_the_three_kinds_of_content_come_in_one_job(server: Server, ann: Person) -> None:
    encoded = b64encode("# Étangs\n\nNewts live in ponds.".encode()).decode()
    id = ann.begin(
        {"text": "Toads live in gardens."},
        {"content": encoded, "mediaType": "text/markdown; charset=UTF-8"},
        {"content": b64encode(b"Frogs live in rivers.").decode(), "mediaType": "TEXT/PLAIN"},
    )
    work(server.footnote)
    done = ann.job(id)
    assert outcome(done) == ["created"] * 3
    names = [result["name"] for result in done["results"]]
    assert names == ["Toads live in gardens.", "document 2", "document 3"]
    documents = [ann.document(result["documentId"]) for result in done["results"]]
    titles = [document["title"] for document in documents]
    assert titles == ["Toads live in gardens.", "Étangs", "Frogs live in rivers."]


@pytest.mark.parametrize(
    "extra", [{}, {"documents": None}, {"documents": None, "dataSourceId": None}]
)
def test_a_body_without_documents_is_v3s_and_answers_with_its_three_fields(
    ann: Person, extra: dict[str, None]
) -> None:
    answer = ann.ask("POST", INGEST, json={**V3, **extra}, headers={"Idempotency-Key": "k"})
    assert answer.status_code == 200
    assert set(answer.json()) == {"status", "documentId", "chunkCount"}
    assert ann.jobs() == []


@pytest.mark.parametrize(
    ("changes", "field", "message"),
    [
        ({"documents": None}, "documents", "documents is required"),
        ({"documents": []}, "documents", "documents must have at least 1 entries"),
        ({"documents": {}}, "documents", "documents must be an array"),
        ({"documents": [5]}, "documents.0", "documents.0 must be an object"),
        ({"documents": [NEWTS, None]}, "documents.1", "documents.1 is required"),
        ({"dataSourceId": None}, "dataSourceId", "dataSourceId is required"),
        ({"dataSourceId": ""}, "dataSourceId", "dataSourceId must not be empty"),
        ({"dataSourceId": 5}, "dataSourceId", "dataSourceId must be a string"),
        ({"dataSourceId": "x" * 129}, "dataSourceId",
         "dataSourceId must have at most 128 characters"),
        ({"chunkSize": "512"}, "chunkSize", "chunkSize must be a number"),
        ({"chunkSize": True}, "chunkSize", "chunkSize must be a number"),
        ({"chunkSize": [512]}, "chunkSize", "chunkSize must be a whole number"),
        ({"chunkSize": 99.5}, "chunkSize", "chunkSize must be a whole number"),
        ({"chunkSize": 0}, "chunkSize", "chunkSize must be between 8 and 8192"),
        ({"chunkSize": -512}, "chunkSize", "chunkSize must be between 8 and 8192"),
        ({"chunkSize": 8193}, "chunkSize", "chunkSize must be between 8 and 8192"),
        ({"chunkSize": 10**400}, "chunkSize", "chunkSize must be between 8 and 8192"),
        ({"chunkOverlap": -1}, "chunkOverlap", "chunkOverlap must be between 0 and 8192"),
        ({"chunkOverlap": "50"}, "chunkOverlap", "chunkOverlap must be a number"),
        ({"chunkOverlap": 0.5}, "chunkOverlap", "chunkOverlap must be a whole number"),
        ({"chunkOverlap": 512}, "chunkOverlap",
         "chunkOverlap must be less than chunkSize (512)"),
        ({"chunkSize": 20, "chunkOverlap": 20}, "chunkOverlap",
         "chunkOverlap must be less than chunkSize (20)"),
        ({"embeddingModel": "text-embedding-3-small"}, "embeddingModel",
         "embeddingModel must be all-MiniLM-L6-v2"),
        ({"embeddingModel": 5}, "embeddingModel", "embeddingModel must be a string"),
    ],
)  # fmt: skip
def test_a_wrong_request_is_refused_by_field_in_words_that_help(
    ann: Person, changes: dict[str, Any], field: str, message: str
) -> None:
    body = {"dataSourceId": "default", "documents": [NEWTS], **changes}
    is_refused(ann, ann.ask("POST", INGEST, json=body), field, message)


ONE_CONTENT = "must have exactly one of text, content and uploadId"


@pytest.mark.parametrize(
    ("document", "at", "message"),
    [
        ({}, "", ONE_CONTENT),
        ({"id": "a", "text": None, "content": None}, "", ONE_CONTENT),
        ({"text": "a", "content": "YQ==", "mediaType": "text/plain"}, "", ONE_CONTENT),
        ({"text": "a", "uploadId": "upl_0"}, "", ONE_CONTENT),
        ({"content": "YQ==", "uploadId": "upl_0", "mediaType": "text/plain"}, "", ONE_CONTENT),
        ({"content": "YQ=="}, "", "must have a mediaType beside its content"),
        ({"content": "YQ==", "mediaType": None}, "", "must have a mediaType beside its content"),
        ({"text": ""}, ".text", "must not be empty"),
        ({"text": " \n"}, ".text", "must not be empty"),
        ({"text": ["a"]}, ".text", "must be a string"),
        ({"text": "a", "id": ""}, ".id", "must not be empty"),
        ({"text": "a", "id": 5}, ".id", "must be a string"),
        ({"text": "a", "id": "x" * 2049}, ".id", "must have at most 2048 characters"),
        ({"text": "a", "title": " "}, ".title", "must not be empty"),
        ({"text": "a", "tags": "a"}, ".tags", "must be an array"),
        ({"text": "a", "tags": ["a", 5]}, ".tags.1", "must be a string"),
        ({"text": "a", "tags": ["a"] * 101}, ".tags", "must have at most 100 entries"),
        ({"text": "a", "tags": ["ü" * 250] * 20}, ".tags",
         "must have at most 30000 bytes together, as JSON in ASCII"),
        ({"text": "a", "metadata": []}, ".metadata", "must be an object"),
        ({"text": "a", "metadata": {"a": "x" * 100_000}}, ".metadata",
         "must have at most 100000 bytes as JSON"),
        ({"uploadId": 5}, ".uploadId", "must be a string"),
    ],
)  # fmt: skip
def test_a_wrong_document_is_refused_by_its_number(
    ann: Person, document: dict[str, Any], at: str, message: str
) -> None:
    field = f"documents.1{at}"
    is_refused(ann, ann.send(NEWTS, document), field, f"{field} {message}")


def test_an_id_names_one_document_of_a_job(ann: Person) -> None:
    answer = ann.send(NEWTS, EFTS, {**NEWTS, "text": "Newts have left."})
    is_refused(
        ann, answer, "documents.2.id", "documents.2.id must be another for each document of a job"
    )


def is_refused(person: Person, answer: httpx.Response, field: str, message: str) -> None:
    assert answer.status_code == 400, answer.text
    assert answer.json() == {
        "error": "Validation error",
        "message": message,
        "details": {"field": field, "message": message},
    }
    assert person.jobs() == []


def test_a_thousand_documents_are_taken_and_not_one_more(server: Server, ann: Person) -> None:
    documents = [{"text": f"Newt number {number}."} for number in range(1001)]
    answer = ann.send(*documents)
    is_refused(ann, answer, "documents", "documents must have at most 1000 entries")
    id = ann.begin(*documents[:1000])
    job = ann.job(id)
    assert job["progress"] == {"total": 1000, "finished": 0}
    assert [one["name"] for one in job["results"]] == [one["text"] for one in documents[:1000]]
    first, second = server.footnote.parts.queue.receive(2, seconds=0)
    assert [one.body["job"]["document"] for one in (first, second)] == [0, 1]


def test_a_body_over_six_megabytes_is_too_large(ann: Person) -> None:
    answer = ann.send({"text": "x" * 6 * 1024 * 1024})
    assert (answer.status_code, answer.json()["error"]) == (413, "Payload too large")
    assert ann.jobs() == []


@pytest.mark.parametrize("documents", ["0," * 300_000 + "0", '{"tags": [0,0,0,0,0]},' * 900 + "0"])
def test_a_million_mistakes_are_answered_like_one(ann: Person, documents: str) -> None:
    content = f'{{"dataSourceId": "default", "documents": [{documents}]}}'
    answer = ann.ask("POST", INGEST, content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert len(answer.content) < 1000


def test_the_deployments_model_may_be_named(server: Server, ann: Person) -> None:
    id = ann.begin(NEWTS, embeddingModel="all-MiniLM-L6-v2")
    work(server.footnote)
    assert ann.job(id)["status"] == "completed"
