"""Nothing outside a caller's data sources is seen, by any way of reading."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rag.access import visible_sources, within
from rag.model import DEFAULT_SOURCE, Condition, Draft, Principal
from tests.conftest import Server


def test_a_filter_only_ever_narrows_what_the_caller_may_see() -> None:
    caller = Principal("ann", "acme")
    wanted = (Condition("data_source", frozenset({"secret"})), Condition("tags", frozenset({"t"})))
    narrowed = within(caller, wanted)
    assert Condition("data_source", visible_sources(caller)) in narrowed
    assert set(wanted) <= set(narrowed)


@pytest.fixture
def hidden(start: Callable[..., Server]) -> tuple[Server, str]:
    """A server with one document in a data source that nobody may see, and its id."""
    server = start()
    secret = Draft("s", "/secret", "Newts", "The newt password is swordfish.", data_source="secret")
    visible = Draft("s", "/open", "Newts", "Newts live in ponds.")
    for draft in (secret, visible):
        made = server.footnote.ingestion.ingest("local", draft)
        if draft is secret:
            id = made.document_id
    assert DEFAULT_SOURCE != "secret"
    return server, id


def test_a_hidden_document_is_absent_by_every_route(hidden: tuple[Server, str]) -> None:
    server, id = hidden
    found = server.http.post("/api/rag/search", json={"query": "newt password", "topK": 20}).json()
    assert [result["text"] for result in found["results"]] == ["Newts live in ponds."]
    chat = server.http.post("/api/chat", json={"message": "newt password", "useRag": True})
    assert "swordfish" not in chat.text
    listed = server.http.get("/api/rag/documents").json()["documents"]
    assert [document["path"] for document in listed] == ["/open"]
    absent = server.http.get("/api/rag/documents/doc_none")
    for method in ("GET", "DELETE"):
        answer = server.http.request(method, f"/api/rag/documents/{id}")
        assert answer.status_code == 404
        assert answer.json()["message"].replace(id, "doc_none") == absent.json()["message"]


def test_a_hidden_document_changes_no_score(
    hidden: tuple[Server, str], start: Callable[..., Server]
) -> None:
    server, id = hidden
    query = {"query": "newt password ponds", "topK": 20}
    with_it = server.http.post("/api/rag/search", json=query).json()
    server.footnote.ingestion.delete("local", id)
    assert server.http.post("/api/rag/search", json=query).json() == with_it
