"""v3 through the gateway: the same answers as anywhere, and the gateway's own in the same shape."""

from __future__ import annotations

import pytest

from tests.integration.stack.conftest import Org, Running

pytestmark = pytest.mark.integration

TRAVEL = {
    "source": "handbook",
    "path": "/travel.md",
    "title": "Travel policy",
    "tags": ["policy"],
    "text": "Book trains rather than flights. Hotel rooms are paid up to 140 euros a night.",
}


def test_a_first_conversation(org: Org) -> None:
    created = org.http.post("/api/rag/ingest", json=TRAVEL)
    assert created.status_code == 200, created.text
    id = created.json()["documentId"]
    assert created.json() == {"status": "created", "documentId": id, "chunkCount": 1}
    assert org.http.post("/api/rag/ingest", json=TRAVEL).json()["status"] == "unchanged"

    query = {"query": "How much is paid for a hotel room?", "filters": {"tags": ["policy"]}}
    [hit] = org.http.post("/api/rag/search", json=query).json()["results"]
    assert (hit["text"], hit["metadata"]["documentId"]) == (TRAVEL["text"], id)

    asked = {"message": "What may a hotel cost?", "useRag": True}
    answer = org.http.post("/api/chat", json=asked).json()["data"]
    assert "140 euros" in answer["message"]
    again = {"message": "And a train?", "conversationId": answer["conversationId"]}
    assert org.http.post("/api/chat", json=again).status_code == 200

    assert org.http.get(f"/api/rag/documents/{id}").json()["text"] == TRAVEL["text"]
    assert org.http.delete(f"/api/rag/documents/{id}").status_code == 200
    assert org.paths() == []
    assert org.http.get(f"/api/rag/documents/{id}").status_code == 404


def test_letters_of_every_language_arrive_as_they_were_sent(org: Org) -> None:
    text = "Molche 🦎 schlafen im Winter: ça, c’est sûr."
    body = {**TRAVEL, "tags": ["à & b/ü"], "text": text}
    id = org.http.post("/api/rag/ingest", json=body).json()["documentId"]
    assert org.http.get(f"/api/rag/documents/{id}").json()["text"] == text
    listed = org.http.get("/api/rag/documents", params={"tag": "à & b/ü"}).json()
    assert [one["documentId"] for one in listed["documents"]] == [id]


def test_an_answer_has_the_id_that_its_request_had(org: Org) -> None:
    answer = org.http.get("/api/rag/documents", headers={"X-Request-ID": "mine-1"})
    assert answer.headers["x-request-id"] == "mine-1"


@pytest.mark.parametrize(
    ("method", "path", "content", "status", "error"),
    [
        ("GET", "/api/rag/nothing", "", 404, "Not found"),
        ("PUT", "/api/chat", "{}", 404, "Not found"),
        ("POST", "/api/rag/search", "{", 400, "Validation error"),
        ("POST", "/api/rag/search", '{"query": ""}', 400, "Validation error"),
        ("GET", "/api/rag/documents/doc_0", "", 404, "Not found"),
        ("GET", "/api/rag/ingest/job_0", "", 404, "Not found"),
    ],
)
def test_mistakes_are_told_in_one_shape(
    org: Org, method: str, path: str, content: str, status: int, error: str
) -> None:
    headers = {"Content-Type": "application/json"}
    answer = org.http.request(method, path, content=content, headers=headers)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-request-id"]
    told = answer.json()
    assert told["message"]
    assert isinstance(told["details"], dict)
    assert told["error"] == error


def test_browsers_may_ask_before_they_call(running: Running) -> None:
    asked = {"Origin": "https://page.example", "Access-Control-Request-Method": "POST"}
    answer = running.client().options("/api/chat", headers=asked)
    assert answer.status_code == 200
    allowed = {
        name: answer.headers[f"access-control-allow-{name}"]
        for name in ("origin", "methods", "headers")
    }
    assert allowed["origin"] == "*"
    assert "POST" in allowed["methods"]
    assert "Authorization" in allowed["headers"]


def test_a_browser_can_read_why_it_was_refused(running: Running) -> None:
    refused = running.client(Origin="https://page.example").post("/api/chat", json={})
    assert refused.status_code == 401
    assert refused.headers["access-control-allow-origin"] == "*"
