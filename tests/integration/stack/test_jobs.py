"""Documents of requests: jobs that can be watched and stopped, and are found when they say so."""

from __future__ import annotations

import os
import signal
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from tests.integration.stack.conftest import Org, Running, until

pytestmark = pytest.mark.integration

NEWTS = {"id": "newts", "title": "Newts", "text": "Newts live in ponds."}
TOADS = {"id": "toads", "content": b64encode(b"Toads live in cellars.").decode()}


def test_documents_are_found_as_soon_as_their_job_is_completed(org: Org) -> None:
    source = org.source("public")
    documents = (NEWTS, {**TOADS, "mediaType": "text/plain"})
    sent = org.send(source, *documents, key="once")
    assert sent["status"] in ("queued", "processing")
    assert org.send(source, *documents, key="once")["jobId"] == sent["jobId"]
    job = org.ended(sent["jobId"])
    [hit, *_] = org.search("Where do toads live?")
    assert (hit["text"], hit["metadata"]["path"]) == ("Toads live in cellars.", "toads")
    assert (job["status"], job["progress"]) == ("completed", {"total": 2, "finished": 2})
    assert (job["indexed"], job["chunks"], len(job["vectorIds"])) == (2, 2, 2)
    assert [one["status"] for one in job["results"]] == ["created", "created"]
    assert [one["jobId"] for one in org.jobs()] == [sent["jobId"]]


def test_one_bad_document_fails_alone(org: Org) -> None:
    strange = {"id": "strange", "content": "R0lGODlhAAA=", "mediaType": "image/gif"}
    broken = {"id": "broken", "content": "JVBERi0xLjc=", "mediaType": "application/pdf"}
    job = org.ended(org.send("default", strange, broken, NEWTS)["jobId"])
    assert (job["status"], job["indexed"]) == ("completed", 1)
    [*bad, good] = job["results"]
    codes = [one["failure"]["code"] for one in bad]
    assert codes == ["UNSUPPORTED_FORMAT", "PARSE_ERROR"]
    assert good["status"] == "created"
    assert org.paths() == ["newts"]


def test_only_who_may_write_to_a_data_source_sends_documents_there(org: Org) -> None:
    bob = org.client("bob")
    shown, hidden = org.source("public"), org.source("personal")

    def send(source: str) -> tuple[int, Any]:
        body = {"dataSourceId": source, "documents": [NEWTS]}
        answer = bob.post("/api/rag/ingest", json=body)
        return answer.status_code, answer.json()

    status, told = send(shown)
    assert (status, told["error"], told["code"]) == (403, "Forbidden", "PERMISSION_DENIED")
    told_of = {source: send(source) for source in (hidden, "src_unknown")}
    assert {status for status, _ in told_of.values()} == {404}
    assert (
        told_of[hidden][1]["message"].replace(hidden, "src_unknown")
        == (told_of["src_unknown"][1]["message"])
    )
    form = {"dataSourceId": shown, "filename": "a.txt", "mediaType": "text/plain", "size": 1}
    assert bob.post("/api/rag/uploads", json=form).status_code == 403

    job = f"/api/rag/ingest/{org.ended(org.send(hidden, NEWTS)['jobId'])['jobId']}"
    assert bob.get(job).status_code == bob.delete(job).status_code == 404
    job = f"/api/rag/ingest/{org.ended(org.send(shown, NEWTS)['jobId'])['jobId']}"
    assert bob.get(job).status_code == 200
    assert bob.delete(job).status_code == 403
    assert org.http.delete(job).status_code == 409  # it is done


def test_nothing_is_found_of_a_data_source_that_was_deleted(org: Org) -> None:
    source = org.source("public")
    [result] = org.ended(org.send(source, NEWTS)["jobId"])["results"]
    assert org.search("Where do newts live?")
    deleted = org.http.delete(f"/api/rag/sources/{source}")
    assert deleted.status_code == 200, deleted.text
    assert org.search("Where do newts live?") == []
    assert org.http.get(f"/api/rag/documents/{result['documentId']}").status_code == 404
    org.running.sweep()
    assert org.http.get(f"/api/rag/sources/{source}").status_code == 404


def test_a_job_that_is_cancelled_stops_where_it_is(running_alone: Running) -> None:
    org = Org(running_alone)
    documents = [{"id": f"{number:02}", "text": f"Newt {number}."} for number in range(15)]
    # There are five workers: when the first document is done, others are in hand, and others wait.
    with running_alone.slow_embeddings(times=len(documents), seconds=2):
        id = org.send("default", *documents)["jobId"]
        until(lambda: org.job(id)["progress"]["finished"])
        answer = org.http.delete(f"/api/rag/ingest/{id}")
        assert answer.status_code == 200, answer.text
        until(lambda: running_alone.waiting() == 0)
    cancelled = answer.json()
    assert (cancelled["status"], cancelled["failure"]["code"]) == ("failed", "CANCELLED")
    assert org.job(id) == cancelled
    became = {one["name"]: one["status"] for one in cancelled["results"]}
    assert set(became.values()) == {"created", "cancelled"}
    done = [name for name, status in became.items() if status == "created"]
    assert org.paths() == done
    assert cancelled["indexed"] == len(done)
    assert {hit["metadata"]["path"] for hit in org.search("Newt")} <= set(done)


def test_what_a_worker_was_killed_at_is_done_by_another(running_alone: Running) -> None:
    org = Org(running_alone)
    with running_alone.slow_embeddings(times=1, seconds=60):
        id = org.send("default", NEWTS)["jobId"]
        until(lambda: org.job(id)["status"] == "processing")
        assert kill_workers(running_alone)

    def is_completed_by_a_sweep() -> bool:
        running_alone.sweep()
        return bool(org.job(id)["status"] == "completed")

    until(is_completed_by_a_sweep)
    assert org.search("Where do newts live?")[0]["text"] == NEWTS["text"]
    assert org.paths() == ["newts"]
    # The first message is hidden for half an hour, which is what the sweeper is for.
    until(lambda: running_alone.waiting() == 1)
    running_alone.aws("sqs").purge_queue(QueueUrl=running_alone.settings["QUEUE_URL"])


def kill_workers(running: Running) -> int:
    """`kill -9` of every process in which the emulator runs a worker; returns how many."""
    name = running.stack.deployed.resource("WorkerFunction")
    ours = f"{running.stack.place.folder}/aws/tmp/ministack-lambda-{name}"
    found = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().decode()
        except OSError:
            continue
        if ours in command:
            os.kill(int(process.name), signal.SIGKILL)
            found += 1
    return found
