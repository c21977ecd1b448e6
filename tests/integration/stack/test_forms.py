"""Files that come by a form: S3's own, signed by the function that gives it out."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.integration.stack.conftest import Org

pytestmark = pytest.mark.integration

FILE = "# Newts\n\nNewts live in ponds."


def form(org: Org, **more: Any) -> dict[str, Any]:
    """What lets its bearer upload a file."""
    about = {"dataSourceId": "default", "filename": "pond/newts.md", "mediaType": "text/markdown"}
    answer = org.http.post("/api/rag/uploads", json={**about, "size": 100, **more})
    assert answer.status_code == 201, answer.text
    told: dict[str, Any] = answer.json()
    return told


def post(given: dict[str, Any], text: str = FILE, **changed: str) -> httpx.Response:
    """As a browser sends it: without credentials, the file last."""
    fields = {**given["fields"], **changed}
    return httpx.post(given["url"], data=fields, files={"file": ("any", text.encode())})


def test_a_file_becomes_the_job_that_was_named_with_its_form(org: Org) -> None:
    given = form(org, dataSourceId=org.source("public"))
    assert org.job(given["jobId"])["status"] == "queued"
    sent = post(given)
    assert sent.status_code == 204, sent.text
    job = org.ended(given["jobId"])
    [hit] = org.search("Where do newts live?")
    assert (job["status"], job["name"], job["indexed"]) == ("completed", "pond/newts.md", 1)
    assert (hit["metadata"]["path"], hit["metadata"]["title"]) == ("pond/newts.md", "Newts")


def test_a_file_may_wait_for_a_document_that_refers_to_it(org: Org) -> None:
    given = form(org, ingest=False)
    assert "jobId" not in given
    document = {"id": "newts", "uploadId": given["uploadId"], "tags": ["pond"]}
    body = {"dataSourceId": "default", "documents": [document]}
    early = org.http.post("/api/rag/ingest", json=body)
    assert (early.status_code, early.json()["details"]["field"]) == (400, "documents.0.uploadId")
    assert post(given).status_code == 204
    job = org.ended(org.send("default", document)["jobId"])
    assert job["status"] == "completed"
    [hit] = org.search("Where do newts live?")
    assert (hit["metadata"]["path"], hit["metadata"]["tags"]) == ("newts", ["pond"])
    assert [one["jobId"] for one in org.jobs()] == [job["jobId"]]


def test_a_form_is_good_for_its_own_file_only(org: Org) -> None:
    given = form(org, size=len(FILE))
    for text, changed, status in (
        (FILE + "!", {}, 400),
        ("", {}, 400),
        (FILE, {"Content-Type": "text/html"}, 403),
        (FILE, {"key": f"uploads/{org.name}/default/newts.md"}, 403),
        (FILE, {"x-amz-signature": "0" * 64}, 403),
    ):
        assert post(given, text, **changed).status_code == status, changed
    assert org.job(given["jobId"])["status"] == "queued"
    assert org.paths() == []


def test_a_file_that_cannot_be_read_fails_its_job(org: Org) -> None:
    given = form(org, filename="newts.txt", mediaType="text/plain")
    sent = httpx.post(given["url"], data=given["fields"], files={"file": ("any", b" \n ")})
    assert sent.status_code == 204, sent.text
    job = org.ended(given["jobId"])
    assert (job["status"], job["failure"]["code"]) == ("failed", "PARSE_ERROR")
    assert org.paths() == []
