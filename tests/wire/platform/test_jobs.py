"""Jobs over HTTP: reading one, and listing them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from rag.clock import iso
from rag.job import Failure, Job, Result
from rag.model import Change
from tests.conftest import Clock, Server
from tests.wire.platform.conftest import Person

TEXT = b"# Newts\n\nNewts live in ponds."


@pytest.fixture
def upload(server: Server) -> Callable[..., None]:
    """Uploads a file and follows it at once."""
    number = 0

    def begin(path: str, data: bytes = TEXT, org: str = "local") -> None:
        nonlocal number
        number += 1
        key = f"uploads/{org}/default/{path}"
        server.footnote.parts.objects.put(key, data)
        server.footnote.worker.following.follow(Change(key, 1_800_000_000.0 + number, "01"))

    return begin


def test_a_job_says_what_became_of_its_document(
    http: httpx.Client, upload: Callable[..., None]
) -> None:
    upload("newts.md")
    [listed] = http.get("/api/rag/ingest").json()["jobs"]
    job = http.get(f"/api/rag/ingest/{listed['jobId']}").json()
    assert {**job, **listed} == job
    [result] = job["results"]
    document = http.get(f"/api/rag/documents/{result['documentId']}").json()
    assert (document["title"], document["text"]) == ("Newts", TEXT.decode())
    assert (job["status"], job["indexed"], job["chunks"]) == ("completed", 1, 1)
    assert job["dataSourceId"] == "default"
    assert len(job["vectorIds"]) == 1
    assert "failure" not in job
    assert result == {
        "name": "newts.md",
        "status": "created",
        "documentId": document["documentId"],
        "chunkCount": 1,
    }


def test_a_failed_job_says_why_and_has_no_key_that_n8n_takes_for_a_failed_request(
    server: Server, http: httpx.Client
) -> None:
    change = Change("uploads/local/nowhere/newts.md", 1_800_000_000.0, "01")
    server.footnote.worker.following.give_up(change, Failure("NOT_FOUND", "No such source."))
    [job] = http.get("/api/rag/ingest").json()["jobs"]
    assert (job["status"], job["indexed"], job["dataSourceId"]) == ("failed", 0, None)
    failure = {"code": "NOT_FOUND", "message": "No such source."}
    [result] = http.get(f"/api/rag/ingest/{job['jobId']}").json()["results"]
    assert (job["failure"], result["failure"]) == (failure, failure)
    assert "error" not in job


def test_jobs_come_newest_first_in_pages(http: httpx.Client, upload: Callable[..., None]) -> None:
    for number in range(5):
        upload(f"{number}.md")
    names: list[str] = []
    after = ""
    while True:
        page = http.get("/api/rag/ingest", params={"limit": 2, "after": after}).json()
        names += [job["name"] for job in page["jobs"]]
        after = page["next"]
        if after is None:
            break
    assert names == [f"{number}.md" for number in reversed(range(5))]


def test_a_list_shows_jobs_without_their_documents(ann: Person) -> None:
    id = ann.begin({"text": "Newts live in ponds."}, {"text": "Efts live in the woods."})
    whole = ann.job(id)
    [listed] = ann.jobs()
    left_out = {"results", "vectorIds"}
    assert listed == {name: value for name, value in whole.items() if name not in left_out}


def test_pages_are_full_and_end_though_some_jobs_are_not_for_everybody(
    ann: Person, bob: Person, clock: Clock
) -> None:
    personal = ann.source("personal")
    hidden, shown = [], []
    for number in range(12):
        clock.now += 1
        into = personal if number % 3 else "default"
        id = ann.begin({"text": f"Newt {number}."}, into=into)
        (hidden if number % 3 else shown).append(id)
    pages = []
    after: str | None = ""
    while after is not None:
        page = bob.ask("GET", "/api/rag/ingest", params={"limit": 2, "after": after}).json()
        pages.append([job["jobId"] for job in page["jobs"]])
        after = page["next"]
    shown.reverse()
    assert pages == [shown[:2], shown[2:]]
    assert [job["jobId"] for job in ann.jobs()] == sorted(hidden + shown, reverse=True)


@pytest.mark.parametrize("query", [{"limit": 0}, {"limit": 101}, {"after": "x" * 200}])
def test_a_wrong_page_is_refused(http: httpx.Client, query: dict[str, Any]) -> None:
    answer = http.get("/api/rag/ingest", params=query)
    assert (answer.status_code, answer.json()["error"]) == (400, "Validation error")


def test_a_job_of_another_org_is_as_unknown_as_none(
    server: Server, http: httpx.Client, upload: Callable[..., None]
) -> None:
    upload("newts.md", org="acme")
    acme = server.token("ann", "acme")
    [job] = http.get("/api/rag/ingest", headers=acme).json()["jobs"]
    assert http.get("/api/rag/ingest").json() == {"jobs": [], "next": None}
    for id in (job["jobId"], "job_0"):
        answer = http.get(f"/api/rag/ingest/{id}")
        message = f"There is no job {id}."
        assert answer.status_code == 404
        assert answer.json() == {"error": "Not found", "message": message, "details": {}}


def test_the_largest_job_of_all_still_fits_into_the_answer_of_a_lambda(
    server: Server, ann: Person, clock: Clock
) -> None:
    now, id = iso(clock.now), "job_1"
    name = "\N{SNAKE}" * 200
    done = Result(name, "created", f"doc_{'0' * 32}", "0" * 26, 50_000)
    failed = Result(name, "failed", failure=Failure("PARSE_ERROR", "x" * 300))
    job = Job(id, "default", now, now, name, total=0)
    server.footnote.jobs.create("acme", job, [done] * 500 + [failed] * 500)
    answer = ann.ask("GET", f"/api/rag/ingest/{id}")
    assert answer.status_code == 200
    assert len(answer.content) < 6_000_000
    assert len(answer.json()["vectorIds"]) == 50_000
