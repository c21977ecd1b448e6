"""Many callers at once: every document is always one version, whole."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest

from rag.adapters.embedded.index import SqliteIndex
from rag.ingest.chunk import windows
from rag.stores.documents import Documents
from tests.conftest import Server
from tests.embedders import Hasty
from tests.integration.tables import only_live_versions_are_left, sweep_as_if_tomorrow

Result = TypeVar("Result")

SENTENCES = 60  # two chunks


@pytest.fixture
def http(start: Callable[..., Server], hasty: Hasty) -> httpx.Client:
    """A client of a server that spends its time on nothing but keeping documents."""
    client: httpx.Client = start(embedder=hasty).http
    return client


def at_once(calls: Sequence[Callable[[], Result]]) -> list[Result]:
    """The results of calls that begin together."""
    together = threading.Barrier(len(calls))

    def begin(call: Callable[[], Result]) -> Result:
        together.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(begin, calls))


def prose(version: int) -> str:
    """A text of two chunks, both of which name their version."""
    return " ".join(f"Line {n} of version {version} is about newts." for n in range(SENTENCES))


def ingest(http: httpx.Client, text: str, path: str = "/newts") -> dict[str, Any]:
    body = {"source": "pond", "path": path, "title": "Newts", "text": text, "tags": [path]}
    answer = http.post("/api/rag/ingest", json=body)
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()
    return result


def search(http: httpx.Client, path: str = "/newts") -> list[str]:
    """The chunks that are found of a document, in their order."""
    body = {"query": "newts", "topK": 20, "filters": {"tags": [path]}}
    answer = http.post("/api/rag/search", json=body)
    assert answer.status_code == 200, answer.text
    results = answer.json()["results"]
    results.sort(key=lambda one: one["metadata"]["chunkIndex"])
    return [one["text"] for one in results]


def chunks(text: str) -> list[str]:
    return [chunk.text for chunk in windows(text)]


def documents(http: httpx.Client) -> list[dict[str, Any]]:
    """Every document, with its text."""
    heads = http.get("/api/rag/documents").json()["documents"]
    return [http.get(f"/api/rag/documents/{head['documentId']}").json() for head in heads]


def test_twenty_identical_posts_at_once_make_one_document_with_one_set_of_chunks(
    http: httpx.Client, tmp_path: Path, hasty: Hasty
) -> None:
    text = prose(1)
    answers = at_once([partial(ingest, http, text)] * 20)
    assert sorted(answer["status"] for answer in answers) == ["created", *["unchanged"] * 19]
    (document,) = documents(http)
    assert {answer["documentId"] for answer in answers} == {document["documentId"]}
    assert {answer["chunkCount"] for answer in answers} == {document["chunkCount"]} == {2}
    assert document["text"] == text
    assert search(http) == chunks(text)
    sweep_as_if_tomorrow(tmp_path / "data", hasty)
    only_live_versions_are_left(tmp_path / "data")


def test_ten_versions_at_once_leave_exactly_one_whole(
    http: httpx.Client, tmp_path: Path, hasty: Hasty
) -> None:
    versions = [prose(number) for number in range(10)]
    answers = at_once([partial(ingest, http, text) for text in versions])
    assert sorted(answer["status"] for answer in answers) == ["created", *["updated"] * 9]
    (document,) = documents(http)
    assert document["text"] in versions
    assert document["chunkCount"] == 2
    assert search(http) == chunks(document["text"])
    sweep_as_if_tomorrow(tmp_path / "data", hasty)
    only_live_versions_are_left(tmp_path / "data")
    assert search(http) == chunks(document["text"])


def test_a_document_that_is_deleted_and_replaced_at_once_ends_as_the_later_of_the_two(
    http: httpx.Client,
) -> None:
    for number in range(20):
        id = ingest(http, prose(0))["documentId"]
        delete = partial(http.delete, f"/api/rag/documents/{id}")
        replace = partial(http.post, "/api/rag/ingest")
        body = {"source": "pond", "path": "/newts", "title": "Newts", "tags": ["/newts"]}
        text = prose(number + 1)
        deleted, replaced = at_once([delete, partial(replace, json={**body, "text": text})])
        assert (deleted.status_code, replaced.status_code) == (200, 200)
        left = [text] if replaced.json()["status"] == "created" else []
        assert [document["text"] for document in documents(http)] == left
        assert search(http) == [chunk for text in left for chunk in chunks(text)]


def test_only_one_of_many_deletes_at_once_deletes(http: httpx.Client) -> None:
    id = ingest(http, prose(0))["documentId"]
    answers = at_once([partial(http.delete, f"/api/rag/documents/{id}")] * 10)
    assert sorted(answer.status_code for answer in answers) == [200, *[404] * 9]
    assert documents(http) == search(http) == []


def test_two_servers_on_the_same_data_see_each_others_writes_in_the_next_search(
    start: Callable[..., Server], hasty: Hasty
) -> None:
    one, other = (start(embedder=hasty).http for _ in range(2))
    for number in range(5):
        id = ingest(one, prose(number))["documentId"]
        assert search(other) == search(one) == chunks(prose(number))
        one, other = other, one
    assert one.delete(f"/api/rag/documents/{id}").status_code == 200
    assert search(other) == documents(other) == []


def test_two_servers_that_write_the_same_document_at_once_leave_one_version_whole(
    start: Callable[..., Server], hasty: Hasty
) -> None:
    servers = [start(embedder=hasty).http for _ in range(2)]
    versions = [prose(number) for number in range(10)]
    at_once([partial(ingest, servers[at % 2], text) for at, text in enumerate(versions)])
    for http in servers:
        (document,) = documents(http)
        assert document["text"] in versions
        assert search(http) == chunks(document["text"])


def test_readers_see_the_old_version_whole_or_the_new_one_and_never_go_back(
    http: httpx.Client,
) -> None:
    versions = [prose(number) for number in range(60)]
    found_as = [chunks(text) for text in versions]
    ingest(http, versions[0])
    done = threading.Event()

    def write() -> None:
        try:
            for text in versions:
                ingest(http, text)
        finally:
            done.set()

    def read() -> list[int]:
        seen = [0]
        while not done.is_set():
            seen.append(found_as.index(search(http)))
            seen += [versions.index(document["text"]) for document in documents(http)]
        return seen

    _, *histories = at_once([write, read, read, read])
    for history in histories:
        assert history == sorted(history)


@pytest.mark.parametrize(
    ("part", "step", "asked_before"),
    [
        (SqliteIndex, "nearest", False),
        (SqliteIndex, "matching", False),
        (SqliteIndex, "vectors", False),
        (Documents, "get_many", False),
        (Documents, "get_many", True),
        (Documents, "chunks", False),
        (Documents, "chunks", True),
    ],
)
def test_a_document_replaced_in_the_middle_of_a_search_is_still_found(
    start: Callable[..., Server],
    hasty: Hasty,
    monkeypatch: pytest.MonkeyPatch,
    part: type,
    step: str,
    asked_before: bool,
) -> None:
    server, other = start(embedder=hasty), start(embedder=hasty)
    ingest(server.http, prose(0))
    if asked_before:
        search(server.http)
    reader = (server.footnote.querying.documents, server.footnote.querying.index)
    pending = [partial(ingest, other.http, prose(1))]
    take_step = getattr(part, step)

    def replaced_just_before(owner: Any, *arguments: Any) -> Any:
        if owner in reader and pending:
            pending.pop()()
        return take_step(owner, *arguments)

    monkeypatch.setattr(part, step, replaced_just_before)
    assert search(server.http) in (chunks(prose(0)), chunks(prose(1)))
    assert not pending
