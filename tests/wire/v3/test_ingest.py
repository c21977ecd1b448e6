"""v3 §2.1: POST /api/rag/ingest."""

from __future__ import annotations

import hashlib
from typing import Any

import httpx
import pytest

DOCUMENT = {"source": "test", "path": "/doc", "title": "Test", "text": "Content"}


def nested(depth: int) -> dict[str, Any]:
    return {"a": nested(depth - 1)} if depth > 1 else {}


def ingest(http: httpx.Client, **changes: Any) -> httpx.Response:
    return http.post("/api/rag/ingest", json={**DOCUMENT, **changes})


def read(http: httpx.Client, answer: httpx.Response) -> dict[str, Any]:
    document: dict[str, Any] = http.get(f"/api/rag/documents/{answer.json()['documentId']}").json()
    return document


def test_the_answer_has_exactly_the_three_fields(http: httpx.Client) -> None:
    answer = ingest(http)
    assert answer.status_code == 200
    assert set(answer.json()) == {"status", "documentId", "chunkCount"}
    assert (answer.json()["status"], answer.json()["chunkCount"]) == ("created", 1)
    assert isinstance(answer.json()["documentId"], str)


def test_the_same_content_again_is_unchanged(http: httpx.Client) -> None:
    first, second = ingest(http), ingest(http)
    assert second.json() == {**first.json(), "status": "unchanged"}


def test_other_content_at_the_same_path_is_updated(http: httpx.Client) -> None:
    first, second = ingest(http), ingest(http, text="Other content")
    assert second.json() == {**first.json(), "status": "updated"}
    assert read(http, second)["text"] == "Other content"


def test_another_path_or_source_is_another_document(http: httpx.Client) -> None:
    answers = [ingest(http), ingest(http, path="/other"), ingest(http, source="other")]
    assert [answer.json()["status"] for answer in answers] == ["created"] * 3
    assert len({answer.json()["documentId"] for answer in answers}) == 3


def test_the_senders_hash_decides_whether_content_is_the_same(http: httpx.Client) -> None:
    ingest(http, hash="v1")
    lying = ingest(http, hash="v1", text="Not the same at all", title="New title")
    assert lying.json()["status"] == "unchanged"
    document = read(http, lying)
    assert (document["text"], document["title"], document["hash"]) == ("Content", "New title", "v1")
    assert ingest(http, hash="v2", text="Changed").json()["status"] == "updated"


def test_the_same_text_is_unchanged_even_under_a_new_hash(http: httpx.Client) -> None:
    ingest(http, hash="md5-of-it")
    again = ingest(http, hash="sha-of-it")
    assert again.json()["status"] == "unchanged"
    assert read(http, again)["hash"] == "sha-of-it"


def test_without_a_hash_the_sha256_of_the_text_is_kept(http: httpx.Client) -> None:
    assert read(http, ingest(http))["hash"] == hashlib.sha256(b"Content").hexdigest()


def test_new_title_tags_or_metadata_are_kept_though_the_content_is_unchanged(
    http: httpx.Client,
) -> None:
    ingest(http, tags=["old"], metadata={"a": 1})
    changes = {"title": "Newer", "tags": ["new", "tag"], "metadata": {"b": [None, 2.5, "x"]}}
    again = ingest(http, **changes)
    assert again.json()["status"] == "unchanged"
    assert {name: read(http, again)[name] for name in changes} == changes
    for tag, expected in (("old", 0), ("new", 1)):
        query = {"query": "content", "filters": {"tags": [tag]}}
        assert http.post("/api/rag/search", json=query).json()["resultCount"] == expected


def test_metadata_comes_back_as_it_was_sent(http: httpx.Client) -> None:
    metadata = {"n": 2**70, "f": 0.1, "deep": {"a": [{"b": None}]}, "ü": "🦀", "": False}
    assert read(http, ingest(http, metadata=metadata))["metadata"] == metadata


def test_null_for_an_optional_field_means_absent(http: httpx.Client) -> None:
    answer = ingest(http, hash=None, tags=None, metadata=None)
    assert answer.json()["status"] == "created"
    document = read(http, answer)
    assert (document["tags"], document["metadata"]) == ([], {})


def test_fields_that_the_contract_does_not_know_are_ignored(http: httpx.Client) -> None:
    assert ingest(http, extra={"anything": 1}).status_code == 200


@pytest.mark.parametrize("field", ["source", "path", "title", "text"])
@pytest.mark.parametrize("value", ["absent", None, "", "   "])
def test_a_required_field_is_asked_for_by_name(
    http: httpx.Client, field: str, value: str | None
) -> None:
    body: dict[str, Any] = {**DOCUMENT, field: value}
    if value == "absent":
        del body[field]
    answer = http.post("/api/rag/ingest", json=body)
    assert answer.status_code == 400
    assert answer.json()["error"] == "Validation error"
    assert answer.json()["details"]["field"] == field
    assert field in answer.json()["details"]["message"]
    if value in ("absent", None):
        assert answer.json()["details"]["message"] == f"{field} is required"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"source": "has space"}, "source"),
        ({"source": "a/b"}, "source"),
        ({"source": "ümlaut"}, "source"),
        ({"source": "line\n"}, "source"),
        ({"source": 5}, "source"),
        ({"text": ["a"]}, "text"),
        ({"title": {}}, "title"),
        ({"tags": "a"}, "tags"),
        ({"tags": ["a", 1]}, "tags.1"),
        ({"tags": [None]}, "tags.0"),
        ({"tags": ["ü" * 250] * 20}, "tags"),
        ({"hash": 5}, "hash"),
        ({"metadata": []}, "metadata"),
        ({"path": "x" * 3000}, "path"),
        ({"metadata": {"a": "x" * 200_000}}, "metadata"),
        ({"metadata": nested(40)}, "metadata"),
    ],
)
def test_a_broken_rule_names_its_field_and_changes_nothing(
    http: httpx.Client, change: dict[str, Any], field: str
) -> None:
    answer = ingest(http, **change)
    assert answer.status_code == 400
    assert answer.json()["error"] == "Validation error"
    assert answer.json()["details"]["field"] == field
    assert set(answer.json()) == {"error", "message", "details"}
    assert http.get("/api/rag/documents").json()["documents"] == []


@pytest.mark.parametrize("where", ["text", "title", "path", "tags", "metadata"])
def test_half_a_character_is_refused(http: httpx.Client, where: str) -> None:
    value = {"tags": '["\\ud800"]', "metadata": '{"a": "\\ud800"}'}.get(where, '"\\ud800"')
    fields = {**{name: f'"{text}"' for name, text in DOCUMENT.items()}, where: value}
    body = "{" + ",".join(f'"{name}": {text}' for name, text in fields.items()) + "}"
    answer = http.post(
        "/api/rag/ingest", content=body.encode(), headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 400
    assert answer.json()["details"]["field"] == "body"
    assert http.get("/api/rag/documents").json()["documents"] == []


def test_any_text_can_be_ingested_and_comes_back_whole(http: httpx.Client) -> None:
    text = "<|endoftext|>\0 日本語。\r\n\tनमस्ते 🏳️‍🌈" + "é" * 3000 + " end"
    answer = ingest(http, text=text, title="🦀 <b>", path="/ü?x=1#2")
    assert answer.status_code == 200
    assert read(http, answer)["text"] == text


def test_a_long_document_becomes_several_chunks_that_are_all_found(http: httpx.Client) -> None:
    facts = [
        f"The code word of vault number {n} is {hashlib.md5(bytes([n])).hexdigest()[:8]}."
        for n in range(150)
    ]
    answer = ingest(http, text="\n\n".join(facts))
    assert answer.json()["chunkCount"] > 3
    for fact in (facts[0], facts[75], facts[149]):
        found = http.post("/api/rag/search", json={"query": fact, "topK": 3}).json()
        assert any(fact in result["text"] for result in found["results"])


def test_a_text_too_long_for_one_request_is_told_where_to_go(start: Any) -> None:
    http = start({"LONGEST_TEXT": "100"}).http
    answer = ingest(http, text="word " * 101)
    assert answer.status_code == 413
    assert "upload" in answer.json()["message"]
    assert ingest(http, text="word " * 99).status_code == 200
