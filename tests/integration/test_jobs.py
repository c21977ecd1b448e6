"""Jobs of hundreds of documents on a server of its own, killed and cancelled in the middle."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import jwt
import pytest

from rag.adapters.embedded.minilm.embedder import MiniLM
from rag.clock import ulid
from rag.ingest.chunk import windows
from rag.model import ChunkRef
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings
from tests.integration.conftest import Process
from tests.integration.tables import (
    do_chores_in_two_hours,
    entries,
    nothing_waits,
    only_live_versions_are_left,
)
from tests.integration.waiting import until

DOCUMENTS = 500
KILLS = 5
CHUNKING = {"chunkSize": 40, "chunkOverlap": 5}
SECRET = "known to these tests alone, and long enough"


class Org:
    """What a member of an org does at a server."""

    def __init__(self, process: Process, org: str) -> None:
        self._http = process.http
        token = jwt.encode({"sub": "ann", "org": org}, SECRET, "HS256")
        self._headers = {"Authorization": f"Bearer {token}"}

    def ask(self, method: str, path: str, status: int = 200, **named: Any) -> dict[str, Any]:
        answer = self._http.request(method, f"/api/rag/{path}", headers=self._headers, **named)
        assert answer.status_code == status, answer.text
        body: dict[str, Any] = answer.json()
        return body

    def new_source(self) -> str:
        body = {"name": "Ponds", "visibility": "public"}
        id: str = self.ask("POST", "sources", 201, json=body)["id"]
        return id

    def ingest(self, documents: list[dict[str, str]], source: str = "default") -> str:
        body = {"dataSourceId": source, "documents": documents, **CHUNKING}
        id: str = self.ask("POST", "ingest", 202, json=body)["jobId"]
        return id

    def job(self, id: str) -> dict[str, Any]:
        return self.ask("GET", f"ingest/{id}")

    def finished(self, id: str) -> int:
        progress = self.job(id)["progress"]
        assert progress["total"] == DOCUMENTS
        count: int = progress["finished"]
        return count

    def listed(self) -> list[str]:
        """The ids of all documents."""
        found: list[str] = []
        page = self.ask("GET", "documents", params={"limit": 100})
        while True:
            found += [one["documentId"] for one in page["documents"]]
            if page.get("next") is None:
                return found
            page = self.ask("GET", "documents", params={"limit": 100, "after": page["next"]})

    def is_completed(self, id: str) -> bool:
        return bool(self.job(id)["status"] == "completed")

    def found(self, query: str) -> list[str]:
        """The sender's names of the documents that a search finds, best first."""
        results = self.ask("POST", "search", json={"query": query, "topK": 20})["results"]
        return [one["metadata"]["path"] for one in results]


@pytest.fixture
def serve(launch: Callable[..., Process]) -> Callable[[], Process]:
    """Starts the server, on the data that a former one may have left."""

    def begin() -> Process:
        return launch(AUTH="required", JWT_SECRET=SECRET)

    return begin


def documents(count: int = DOCUMENTS) -> list[dict[str, str]]:
    """Every fifth has more than one chunk."""
    return [
        {
            "id": f"newt-{number}",
            "text": " ".join(
                f"In year {year} the newt number {number} lived under stone {number}."
                for year in range(6 if number % 5 == 4 else 1)
            ),
        }
        for number in range(count)
    ]


def chunks(document: dict[str, str]) -> int:
    return len(windows(document["text"], CHUNKING["chunkSize"], CHUNKING["chunkOverlap"]))


def test_a_job_whose_server_is_killed_again_and_again_loses_nothing_and_doubles_nothing(
    serve: Callable[[], Process], data_dir: Path, minilm: MiniLM, dice: Random
) -> None:
    process = serve()
    acme = Org(process, "acme")
    source, sent = acme.new_source(), documents()
    kept = bootstrap(Settings(data_dir=data_dir)).documents
    epoch = kept.epoch("acme")
    id = acme.ingest(sent, source)
    seen = [0]

    def has_got_to(wanted: int) -> bool:
        seen.append(acme.finished(id))
        return seen[-1] >= wanted

    for _ in range(KILLS):
        until(partial(has_got_to, seen[-1] + dice.randint(5, 40)))
        assert seen[-1] < DOCUMENTS
        time.sleep(dice.uniform(0, 0.05))  # any moment will do: this is what makes it one
        process.kill()
        process = serve()
        acme = Org(process, "acme")
    until(partial(has_got_to, DOCUMENTS))
    assert seen == sorted(seen)

    job = acme.job(id)
    assert (job["status"], job["indexed"]) == ("completed", DOCUMENTS)
    assert [(one["name"], one["status"], one["chunkCount"]) for one in job["results"]] == [
        (one["id"], "created", chunks(one)) for one in sent
    ]
    assert job["chunks"] == len(job["vectorIds"]) == sum(map(chunks, sent))
    assert sorted(acme.listed()) == sorted(one["documentId"] for one in job["results"])
    assert acme.ask("GET", f"sources/{source}")["documentCount"] == DOCUMENTS
    for one in dice.sample(sent, 5):
        assert one["id"] in acme.found(one["text"])

    # A worker that was killed just after it had finished leaves what others put away.
    until(partial(nothing_waits, data_dir))
    process.kill()
    do_chores_in_two_hours(data_dir, minilm)
    assert nothing_waits(data_dir)
    only_live_versions_are_left(data_dir)
    assert entries(data_dir, "acme") == sorted(job["vectorIds"])
    # Each was made live once.
    assert kept.epoch("acme") - epoch == DOCUMENTS


@pytest.mark.parametrize("killed", [False, True])
def test_of_a_cancelled_job_nothing_is_ever_found_but_what_it_reports_as_done(
    serve: Callable[[], Process], data_dir: Path, minilm: MiniLM, dice: Random, killed: bool
) -> None:
    process = serve()
    acme, other = Org(process, "acme"), Org(process, "other")
    sent, enough = documents(), dice.randint(10, 100)
    id = acme.ingest(sent)
    until(lambda: acme.finished(id) >= enough)
    cancelled = acme.ask("DELETE", f"ingest/{id}")
    if killed:
        process.kill()
        process = serve()
        acme, other = Org(process, "acme"), Org(process, "other")
    assert (cancelled["status"], cancelled["failure"]["code"]) == ("failed", "CANCELLED")
    done = [one for one in cancelled["results"] if one["status"] == "created"]
    assert 0 < len(done) == cancelled["progress"]["finished"] == cancelled["indexed"] < DOCUMENTS
    assert cancelled["chunks"] == len(cancelled["vectorIds"])
    left = [one["status"] for one in cancelled["results"] if one not in done]
    assert set(left) == {"cancelled"}

    def nothing_else_is_there() -> None:
        assert acme.job(id) == cancelled
        assert sorted(acme.listed()) == sorted(one["documentId"] for one in done)
        found = {name for one in dice.sample(sent, 20) for name in acme.found(one["text"])}
        assert found <= {one["name"] for one in done}

    nothing_else_is_there()
    next_job = other.ingest(documents(1))
    until(partial(other.is_completed, next_job))
    nothing_else_is_there()
    until(partial(nothing_waits, data_dir))
    nothing_else_is_there()
    assert acme.ask("DELETE", f"ingest/{id}") == cancelled
    process.kill()
    do_chores_in_two_hours(data_dir, minilm)
    only_live_versions_are_left(data_dir)
    assert entries(data_dir, "acme") == sorted(cancelled["vectorIds"])


def test_one_orgs_document_does_not_wait_for_anothers_hundreds(
    serve: Callable[[], Process],
) -> None:
    process = serve()
    acme, other = Org(process, "acme"), Org(process, "other")
    many = acme.ingest(documents())
    until(lambda: acme.finished(many) > 0)
    one = other.ingest(documents(1))
    queued = ulid(time.time())
    until(partial(other.is_completed, one))
    [its] = map(ChunkRef.parse, other.job(one)["vectorIds"])
    # At most the one that was under way.
    before_it = {
        ref.document
        for ref in map(ChunkRef.parse, acme.job(many)["vectorIds"])
        if queued < ref.version < its.version
    }
    assert len(before_it) <= 1
    assert acme.finished(many) < DOCUMENTS
