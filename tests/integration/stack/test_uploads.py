"""Files in the bucket: found, replaced, removed, given up, and none of them lost or twice."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from infra.local import backends
from tests.integration.conftest import command
from tests.integration.stack.conftest import Org, Running, until
from tests.writers import docx, pdf
from tests.writers.story import STORY

pytestmark = pytest.mark.integration

DOWN_SECONDS = 20  # long enough for a file to be tried three times in vain
FILES = 200


def event(org: Org, path: str, name: str, sequencer: str) -> dict[str, Any]:
    """A notice of the bucket."""
    about = {"key": org.key(path), "sequencer": sequencer}
    when = "2026-01-01T00:00:00.000Z"
    return {"Records": [{"eventName": name, "eventTime": when, "s3": {"object": about}}]}


def tell(org: Org, *events: dict[str, Any]) -> None:
    """Put messages into the queue, and wait until all that are in it have been worked on."""
    sqs, url = org.running.aws("sqs"), org.running.settings["QUEUE_URL"]
    for number, one in enumerate(events):
        sqs.send_message(QueueUrl=url, MessageBody=json.dumps(one), DelaySeconds=number)
    until(lambda: org.running.waiting() == 0)


def test_a_file_is_found_replaced_and_forgotten(org: Org) -> None:
    begun = time.monotonic()
    org.upload("pond/newts.md", "# Newts\n\nNewts live in ponds.")
    [hit] = until(lambda: org.search("Where do newts live?"))
    print(f"found after {time.monotonic() - begun:.2f} s")
    assert (hit["metadata"]["path"], hit["metadata"]["title"]) == ("/pond/newts.md", "Newts")

    [job] = org.jobs()
    told = org.http.get(f"/api/rag/ingest/{job['jobId']}").json()
    assert told["status"] == "completed"

    org.upload("pond/newts.md", "# Newts\n\nNewts sleep in winter.")
    until(lambda: org.search("When do newts sleep?")[0]["text"].endswith("sleep in winter."))
    assert org.paths() == ["/pond/newts.md"]

    org.remove("pond/newts.md")
    until(lambda: org.paths() == [])
    assert org.search("Where do newts live?") == []


def test_files_of_other_formats_are_read_where_functions_run(org: Org) -> None:
    org.upload("newts.docx", docx.write(STORY))
    org.upload("newts.pdf", pdf.write(STORY))
    jobs = until(lambda: found if len(found := org.jobs()) == 2 else None)
    assert {org.ended(job["jobId"])["status"] for job in jobs} == {"completed"}
    hits = {hit["metadata"]["path"]: hit for hit in org.search("Where do they rest in winter?")}
    section = f"{STORY.title} › Feeding › Winter"
    assert hits["/newts.docx"]["metadata"]["section"] == section
    assert hits["/newts.pdf"]["metadata"]["section"] == section
    assert hits["/newts.pdf"]["metadata"]["page"] == 2


def test_a_sidecar_describes_its_file(org: Org) -> None:
    about = {"metadataAttributes": {"title": "On newts", "tags": ["pond"]}}
    org.upload("a.txt.metadata.json", json.dumps(about))
    org.upload("a.txt", "Newts live in ponds.")
    [hit] = until(lambda: [h for h in org.search("newts") if h["metadata"]["tags"]])
    assert (hit["metadata"]["title"], hit["metadata"]["tags"]) == ("On newts", ["pond"])


def test_notices_that_come_twice_or_late_change_nothing(org: Org) -> None:
    org.upload("stays.txt", "Newts stay.")
    org.upload("goes.txt", "Newts go.")
    until(lambda: org.paths() == ["/goes.txt", "/stays.txt"])
    org.remove("goes.txt")
    until(lambda: org.paths() == ["/stays.txt"])
    [before] = org.http.get("/api/rag/documents").json()["documents"]
    created, removed = "ObjectCreated:Put", "ObjectRemoved:DeleteMarkerCreated"
    tell(
        org,
        event(org, "stays.txt", created, ""),
        event(org, "stays.txt", created, ""),
        event(org, "stays.txt", removed, "0"),
        event(org, "goes.txt", created, "0"),
        event(org, "goes.txt", removed, ""),
        event(org, "never-was.txt", removed, "1"),
    )
    assert org.http.get("/api/rag/documents").json()["documents"] == [before]


def test_what_cannot_be_read_is_laid_aside_and_the_others_go_on(org: Org, data_dir: Path) -> None:
    org.upload("bad.gif", "GIF89a\0\0")
    for number in range(9):
        org.upload(f"{number}.txt", f"Newt {number}.")
    until(lambda: len(org.paths()) == 9)
    [failed] = until(lambda: [job for job in org.jobs() if job["status"] == "failed"])
    [result] = org.http.get(f"/api/rag/ingest/{failed['jobId']}").json()["results"]
    assert "bad.gif" in json.dumps(result)

    [reason] = [body["reason"] for body in buried(org) if org.name in json.dumps(body)]
    assert reason["code"] == "UNSUPPORTED_FORMAT"
    assert "bad.gif" in reason["message"]

    org.remove("bad.gif")
    sent = until(lambda: redriven(org, data_dir))
    assert "UNSUPPORTED_FORMAT: bad.gif" in sent
    until(lambda: org.running.waiting() == org.running.waiting("DEAD_QUEUE_URL") == 0)
    assert len(org.paths()) == 9


def buried(org: Org) -> Iterator[dict[str, Any]]:
    """What was laid aside; it is left where it is."""
    url = org.running.settings["DEAD_QUEUE_URL"]
    wanted = {"QueueUrl": url, "MaxNumberOfMessages": 10, "VisibilityTimeout": 0}
    messages = until(lambda: org.running.aws("sqs").receive_message(**wanted).get("Messages"))
    return (json.loads(message["Body"]) for message in messages)


def redriven(org: Org, data_dir: Path) -> str | None:
    """What `make redrive` says, if it has sent anything back."""
    told = command(data_dir, "redrive", **org.running.settings)
    assert (told.returncode, told.stderr) == (0, "")
    return None if told.stdout.startswith("0 ") else told.stdout


def test_many_files_are_each_there_once_though_the_index_is_down_in_the_middle(
    running_alone: Running, data_dir: Path
) -> None:
    org = Org(running_alone)
    pinecone = backends.pinecone(running_alone.stack.place)
    begun = time.monotonic()
    for number in range(FILES):
        if number == FILES // 4:
            until(org.paths)  # some are there, and others under way
            pinecone.stop()
        org.upload(f"{number:03}.txt", f"Newt {number} lives in pond {number * 7}.")
    print(f"{FILES} files put within {time.monotonic() - begun:.1f} s")
    time.sleep(DOWN_SECONDS)
    meanwhile = len(org.paths())
    assert meanwhile < FILES
    started = command(data_dir, "stack", "start", **running_alone.place)
    assert started.returncode == 0, started.stderr
    expected = [f"/{number:03}.txt" for number in range(FILES)]
    until(lambda: org.paths() == expected)
    print(
        f"{meanwhile} were there while the index was down, all after"
        f" {time.monotonic() - begun:.1f} s"
    )
    until(lambda: running_alone.waiting() == 0)
    assert org.paths() == expected
    assert running_alone.waiting("DEAD_QUEUE_URL") == 0
    for number in (0, FILES // 2, FILES - 1):
        text = f"Newt {number} lives in pond {number * 7}."
        assert org.search(f"Where does newt {number} live?")[0]["text"] == text
