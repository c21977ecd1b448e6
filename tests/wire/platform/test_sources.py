"""Data sources, over HTTP: who may do what to them, and who finds what is in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from rag.model import Draft, Source
from tests.conftest import Server

PLACE = "/api/rag/sources"


@pytest.fixture
def http(server: Server) -> httpx.Client:
    return server.http


@pytest.fixture
def people(server: Server) -> dict[str, dict[str, str]]:
    """Headers of some members of an org, and of one of another."""
    return {
        "ann": server.token("ann", "acme"),
        "bob": server.token("bob", "acme", roles=["hr"], teams=["blue"]),
        "eve": server.token("eve", "acme"),
        "root": server.token("root", "acme", roles=["admin"]),
        "zoe": server.token("zoe", "zeta", roles=["admin", "hr"], teams=["blue"]),
    }


@pytest.fixture
def make(http: httpx.Client, people: dict[str, dict[str, str]]) -> Callable[..., str]:
    """Makes a source of Ann's and returns its id."""

    def create(visibility: str, **more: Any) -> str:
        body = {"name": "Files", "visibility": visibility, **more}
        answer = http.post(PLACE, json=body, headers=people["ann"])
        assert answer.status_code == 201, answer.text
        id: str = answer.json()["id"]
        return id

    return create


def test_a_source_is_made_read_and_listed_beside_the_default_one(
    http: httpx.Client, people: dict[str, dict[str, str]]
) -> None:
    body = {"name": "Files", "visibility": "private", "users": ["bob", "ann"], "roles": None}
    made = http.post(PLACE, json=body, headers=people["ann"])
    assert made.status_code == 201
    source = made.json()
    assert source == {
        "id": source["id"], "name": "Files", "visibility": "private", "roles": [], "teams": [],
        "users": ["ann", "bob"], "owner": "ann", "createdAt": source["createdAt"],
        "documentCount": 0,
    }  # fmt: skip
    assert http.get(f"{PLACE}/{source['id']}", headers=people["bob"]).json() == source
    listed = http.get(PLACE, headers=people["bob"]).json()["sources"]
    assert [one["id"] for one in listed] == ["default", source["id"]]
    assert [one["id"] for one in http.get(PLACE, headers=people["eve"]).json()["sources"]] == [
        "default"
    ]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"visibility": "public"}, "name"),
        ({"name": " ", "visibility": "public"}, "name"),
        ({"name": "n" * 201, "visibility": "public"}, "name"),
        ({"name": "n"}, "visibility"),
        ({"name": "n", "visibility": "secret"}, "visibility"),
        ({"name": "n", "visibility": "role"}, "roles"),
        ({"name": "n", "visibility": "team", "roles": ["a"], "teams": []}, "teams"),
        ({"name": "n", "visibility": "private", "users": "bob"}, "users"),
        ({"name": "n", "visibility": "private", "users": [5]}, "users.0"),
    ],
)
def test_a_wrong_description_is_refused_by_field(
    http: httpx.Client, body: dict[str, Any], field: str
) -> None:
    answer = http.post(PLACE, json=body)
    assert (answer.status_code, answer.json()["details"]["field"]) == (400, field)
    assert len(http.get(PLACE).json()["sources"]) == 1


QUERY = {"query": "Where do newts live?", "topK": 20}


def found(http: httpx.Client, headers: dict[str, str]) -> list[str]:
    results = http.post("/api/rag/search", json=QUERY, headers=headers).json()["results"]
    return [one["text"] for one in results]


@pytest.mark.parametrize(
    ("visibility", "more", "insiders"),
    [
        ("public", {}, {"ann", "bob", "eve", "root"}),
        ("role", {"roles": ["hr", "law"]}, {"ann", "bob"}),
        ("team", {"teams": ["blue"]}, {"ann", "bob"}),
        ("private", {"users": ["eve"]}, {"ann", "eve"}),
        ("private", {}, {"ann"}),
        ("personal", {"users": ["eve"], "roles": ["admin"]}, {"ann"}),
    ],
)
def test_only_the_right_people_find_what_is_in_a_source(
    server: Server,
    http: httpx.Client,
    people: dict[str, dict[str, str]],
    make: Callable[..., str],
    visibility: str,
    more: dict[str, Any],
    insiders: set[str],
) -> None:
    id = make(visibility, **more)
    draft = Draft("s", "/p", "Newts", "Newts live in ponds.", data_source=id)
    document = server.footnote.ingestion.ingest("acme", draft).document_id
    for name, headers in people.items():
        inside = name in insiders
        assert found(http, headers) == (["Newts live in ponds."] if inside else [])
        listed = http.get("/api/rag/documents", headers=headers).json()["documents"]
        assert len(listed) == inside
        read = http.get(f"/api/rag/documents/{document}", headers=headers)
        assert read.status_code == (200 if inside else 404)


def test_a_change_of_access_counts_from_the_next_request_on(
    server: Server, http: httpx.Client, people: dict[str, dict[str, str]], make: Callable[..., str]
) -> None:
    id = make("personal")
    draft = Draft("s", "/p", "Newts", "Newts live in ponds.", data_source=id)
    server.footnote.ingestion.ingest("acme", draft)
    assert (found(http, people["ann"]), found(http, people["eve"])) == ([draft.text], [])
    for changes, seen in (
        ({"visibility": "private", "users": ["eve"]}, True),
        ({"users": ["bob"]}, False),
        ({"visibility": "public"}, True),
        ({"visibility": "personal"}, False),
    ):
        answer = http.patch(f"{PLACE}/{id}", json=changes, headers=people["ann"])
        assert answer.status_code == 200, answer.text
        assert bool(found(http, people["eve"])) == seen
    assert answer.json()["users"] == ["bob"]
    assert answer.json()["documentCount"] == 1


def test_whoever_renames_a_source_does_not_open_it_again_that_is_closed_meanwhile(
    server: Server,
    http: httpx.Client,
    people: dict[str, dict[str, str]],
    make: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = f"{PLACE}/{make('public')}"
    read = server.footnote.sources.get

    def read_and_wait(org: str, id: str) -> Source | None:
        """Between what an admin reads and what it writes, the owner closes the source."""
        source = read(org, id)
        monkeypatch.undo()
        closed = http.patch(place, json={"visibility": "personal"}, headers=people["ann"])
        assert closed.json()["visibility"] == "personal"
        return source

    monkeypatch.setattr(server.footnote.sources, "get", read_and_wait)
    assert http.patch(place, json={"name": "New"}, headers=people["root"]).status_code == 200
    source = http.get(place, headers=people["ann"]).json()
    assert (source["name"], source["visibility"]) == ("New", "personal")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/rag/search", QUERY),
        ("POST", "/api/chat", {"message": QUERY["query"], "useRag": True}),
        ("GET", "/api/rag/documents", None),
        ("GET", "/api/rag/documents/{id}", None),
        ("GET", "/api/rag/ingest", None),
    ],
)
def test_nobody_reads_what_is_written_after_a_source_was_closed(
    server: Server,
    http: httpx.Client,
    people: dict[str, dict[str, str]],
    make: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    path: str,
    body: dict[str, Any] | None,
) -> None:
    source = make("public")
    draft = Draft("s", "/p", "Newts", "Newts live in ponds.", data_source=source)
    id = server.footnote.ingestion.ingest("acme", draft).document_id
    read = server.footnote.sources.all

    def read_and_wait(org: str) -> list[Source]:
        """Between what a reader may see and what it sees, the owner closes the source."""
        seen = read(org)
        monkeypatch.undo()
        http.patch(f"{PLACE}/{source}", json={"visibility": "personal"}, headers=people["ann"])
        secret = Draft("s", "/p", "Secret", "Secret newts live in caves.", data_source=source)
        server.footnote.ingestion.ingest("acme", secret)
        sent = {"dataSourceId": source, "documents": [{"id": "Secret", "text": "Newts."}]}
        assert http.post("/api/rag/ingest", json=sent, headers=people["ann"]).status_code == 202
        return seen

    monkeypatch.setattr(server.footnote.sources, "all", read_and_wait)
    place = path.replace("{id}", id)
    answer = http.request(method, place, json=body, headers=people["eve"])
    assert answer.status_code in (200, 404)
    assert "ecret" not in answer.text


def test_a_deleted_source_hides_its_documents_at_once_and_removes_them_soon(
    server: Server, http: httpx.Client, people: dict[str, dict[str, str]], make: Callable[..., str]
) -> None:
    id = make("public")
    draft = Draft("s", "/p", "Newts", "Newts live in ponds.", data_source=id)
    document = server.footnote.ingestion.ingest("acme", draft).document_id
    assert found(http, people["eve"])
    gone = http.delete(f"{PLACE}/{id}", headers=people["ann"])
    assert gone.json() == {"status": "deleted", "id": id}
    assert found(http, people["eve"]) == []
    assert http.get(f"/api/rag/documents/{document}", headers=people["ann"]).status_code == 404
    assert http.delete(f"{PLACE}/{id}", headers=people["ann"]).status_code == 404
    for chore in server.footnote.chores:
        chore.do()
    assert list(server.footnote.documents.all("acme")) == []


def test_whoever_sees_a_source_but_may_not_change_it_is_told_so(
    http: httpx.Client, people: dict[str, dict[str, str]], make: Callable[..., str]
) -> None:
    for id, caller in ((make("public"), "eve"), ("default", "root")):
        for answer in (
            http.patch(f"{PLACE}/{id}", json={"name": "Mine"}, headers=people[caller]),
            http.delete(f"{PLACE}/{id}", headers=people[caller]),
        ):
            assert (answer.status_code, answer.json()["code"]) == (403, "PERMISSION_DENIED")


def test_whoever_may_query_a_document_but_not_write_to_its_source_cannot_delete_it(
    server: Server, http: httpx.Client, people: dict[str, dict[str, str]], make: Callable[..., str]
) -> None:
    def put(source: str) -> str:
        draft = Draft("s", "/p", "Newts", "Newts live in ponds.", data_source=source)
        return f"/api/rag/documents/{server.footnote.ingestion.ingest('acme', draft).document_id}"

    place = put(make("public"))
    refused = http.delete(place, headers=people["eve"])
    assert (refused.status_code, refused.json()["code"]) == (403, "PERMISSION_DENIED")
    assert http.get(place, headers=people["eve"]).status_code == 200
    assert http.delete(place, headers=people["root"]).status_code == 200
    assert http.delete(put("default"), headers=people["eve"]).status_code == 200
    # An admin who may not query it does not know of it.
    assert http.delete(put(make("personal")), headers=people["root"]).status_code == 404


def test_a_file_is_referred_to_only_by_those_who_may_read_it(
    http: httpx.Client, people: dict[str, dict[str, str]], make: Callable[..., str]
) -> None:
    id = make("private", users=["eve"])
    file = {"filename": "newts.md", "mediaType": "text/markdown", "size": 9, "ingest": False}
    body = {"dataSourceId": id, **file}
    form = http.post("/api/rag/uploads", json=body, headers=people["ann"]).json()
    files = {"file": ("any", b"# Newts")}
    assert http.post(form["url"], data=form["fields"], files=files).status_code == 204

    def referred(caller: str, upload: str) -> tuple[int, str]:
        sent = {"dataSourceId": "default", "documents": [{"uploadId": upload}]}
        answer = http.post("/api/rag/ingest", json=sent, headers=people[caller])
        return answer.status_code, answer.text

    nobodys = form["uploadId"][:-4] + "0000"
    for stranger in ("bob", "root", "zoe"):
        assert referred(stranger, form["uploadId"]) == referred(stranger, nobodys)
        assert referred(stranger, nobodys)[0] == 400
    assert {referred(one, form["uploadId"])[0] for one in ("ann", "eve")} == {202}


def test_admins_change_and_delete_what_they_may_not_query(
    http: httpx.Client, people: dict[str, dict[str, str]], make: Callable[..., str]
) -> None:
    id = make("personal")
    renamed = http.patch(f"{PLACE}/{id}", json={"name": "Old"}, headers=people["root"])
    assert renamed.json()["name"] == "Old"
    assert http.delete(f"{PLACE}/{id}", headers=people["root"]).status_code == 200


@pytest.mark.parametrize(("caller", "visibility"), [("eve", "personal"), ("zoe", "public")])
def test_a_source_that_one_may_not_know_is_as_unknown_as_none(
    http: httpx.Client,
    people: dict[str, dict[str, str]],
    make: Callable[..., str],
    caller: str,
    visibility: str,
) -> None:
    id = make(visibility)
    nobodys = id[:-4] + "0000"

    def asked(id: str) -> list[tuple[int, str, list[str]]]:
        answers = [
            http.get(f"{PLACE}/{id}", headers=people[caller]),
            http.patch(f"{PLACE}/{id}", json={"name": "Mine"}, headers=people[caller]),
            http.patch(f"{PLACE}/{id}", json={"visibility": "role"}, headers=people[caller]),
            http.delete(f"{PLACE}/{id}", headers=people[caller]),
        ]
        return [(one.status_code, one.text.replace(id, ""), sorted(one.headers)) for one in answers]

    assert asked(id) == asked(nobodys)
    assert {status for status, *_ in asked(id)} == {404}
