"""Beside v3: listing, reading and deleting documents."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.conftest import Server
from tests.worker import work


def add(http: httpx.Client, number: int, source: str = "s", tags: tuple[str, ...] = ()) -> str:
    body = {
        "source": source, "path": f"/{number}", "title": f"T{number}",
        "text": f"Newt number {number}.", "tags": list(tags), "metadata": {"n": number},
    }  # fmt: skip
    id: str = http.post("/api/rag/ingest", json=body).json()["documentId"]
    return id


def test_a_document_has_the_fields_of_the_contracts_schema(http: httpx.Client) -> None:
    id = add(http, 1, tags=("a",))
    document = http.get(f"/api/rag/documents/{id}").json()
    assert set(document) == {
        "documentId", "source", "path", "title", "hash", "tags", "metadata", "chunkCount",
        "createdAt", "updatedAt", "text",
        "dataSourceId", "url",  # platform's words for where it is and where it came from
    }  # fmt: skip
    assert (document["metadata"], document["chunkCount"], document["tags"]) == ({"n": 1}, 1, ["a"])


def test_pages_show_every_document_once(http: httpx.Client) -> None:
    ids = {add(http, number) for number in range(7)}
    seen: list[str] = []
    after = ""
    while after is not None:
        page = http.get("/api/rag/documents", params={"limit": 3, "after": after}).json()
        assert len(page["documents"]) <= 3
        seen += [document["documentId"] for document in page["documents"]]
        after = page["next"]
    assert len(seen) == 7
    assert set(seen) == ids


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"source": "x"}, {2}),
        ({"tag": "a"}, {1, 2}),
        ({"source": "s", "tag": "a"}, {1}),
        ({"tag": "z"}, set()),
    ],
)
def test_documents_are_filtered_by_source_and_tag(
    http: httpx.Client, params: dict[str, Any], expected: set[int]
) -> None:
    add(http, 0)
    add(http, 1, tags=("a", "b"))
    add(http, 2, source="x", tags=("a",))
    documents = http.get("/api/rag/documents", params=params).json()["documents"]
    assert {document["metadata"]["n"] for document in documents} == expected


def test_documents_are_filtered_by_their_data_source(server: Server) -> None:
    http = server.http
    made = http.post("/api/rag/sources", json={"name": "Own", "visibility": "public"}).json()["id"]
    here = add(http, 0)
    sent = {"id": "there", "text": "Newts swim.", "url": "https://newts.example/there"}
    http.post("/api/rag/ingest", json={"dataSourceId": made, "documents": [sent]})
    work(server.footnote)

    def listed(source: str) -> list[tuple[str, str, str | None]]:
        page = http.get("/api/rag/documents", params={"dataSource": source}).json()
        shown = page["documents"]
        return [(one["documentId"], one["dataSourceId"], one["url"]) for one in shown]

    assert listed("default") == [(here, "default", None)]
    [(_, source, url)] = listed(made)
    assert (source, url) == (made, "https://newts.example/there")
    assert listed("unknown") == []


def test_a_deleted_document_is_gone_at_once(http: httpx.Client) -> None:
    id = add(http, 1)
    assert http.post("/api/rag/search", json={"query": "newt"}).json()["resultCount"] == 1
    assert http.delete(f"/api/rag/documents/{id}").json() == {"status": "deleted", "documentId": id}
    assert http.post("/api/rag/search", json={"query": "newt"}).json()["resultCount"] == 0
    assert http.get(f"/api/rag/documents/{id}").status_code == 404
    assert http.delete(f"/api/rag/documents/{id}").status_code == 404
    assert http.get("/api/rag/documents").json() == {"documents": [], "next": None}
    assert add(http, 1) == id
    assert http.post("/api/rag/search", json={"query": "newt"}).json()["resultCount"] == 1


@pytest.mark.parametrize(
    "params", [{"limit": 0}, {"limit": 101}, {"limit": "x"}, {"after": "x" * 500}]
)
def test_a_wrong_parameter_is_named(http: httpx.Client, params: dict[str, Any]) -> None:
    answer = http.get("/api/rag/documents", params=params)
    assert answer.status_code == 400
    assert answer.json()["details"]["field"] in params


@pytest.mark.parametrize("id", ["nope", "DOC%23x", "..%2F..", "x" * 3000, "%00", "🦀"])
def test_an_unknown_document_is_not_found(http: httpx.Client, id: str) -> None:
    for method in ("GET", "DELETE"):
        answer = http.request(method, f"/api/rag/documents/{id}")
        assert (answer.status_code, answer.json()["error"]) == (404, "Not found")
