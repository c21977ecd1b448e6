"""Documents to ask about, and how to ask."""

from __future__ import annotations

import json
from typing import Any

import httpx

RETRIEVE, QUERY = "/api/rag/retrieve", "/api/rag/query"
HOTELS = "Hotel rooms cost up to 140 euros a night. Breakfast is always included."
TRAINS = "Trains are booked in second class. The travel desk buys the tickets."
NEWTS = "Newts sleep under stones in winter. They eat snails at night."
QUESTION = "What may hotel rooms cost a night?"
UNANSWERABLE = "Who was the emperor of Rome?"


def tell(http: httpx.Client, **more: Any) -> dict[str, str]:
    """Ingest the documents; their ids by title."""
    ids = {}
    for year, (title, text) in enumerate(
        {"Hotels": HOTELS, "Trains": TRAINS, "Newts": NEWTS}.items(), 2020
    ):
        body = {"source": "handbook", "path": title, "title": title, "text": text}
        told = {"tags": [title.lower()], "metadata": {"year": year, "due": f"{year}-05-01"}}
        answer = http.post("/api/rag/ingest", json={**body, **told}, **more)
        assert answer.status_code == 200, answer.text
        ids[title] = answer.json()["documentId"]
    return ids


def asked(http: httpx.Client, query: str = QUESTION, **more: Any) -> dict[str, Any]:
    """The answer to a question, all of it at once."""
    answer = http.post(QUERY, json={"query": query, **more})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def events(answer: httpx.Response) -> list[dict[str, Any]]:
    """The events of a stream."""
    assert answer.headers["content-type"].startswith("text/event-stream")
    lines = answer.text.split("\n\n")
    assert lines.pop() == ""
    return [json.loads(line.removeprefix("data: ")) for line in lines]


def refused(answer: httpx.Response, status: int, code: str | None) -> dict[str, Any]:
    """The failure, in the contract's shape."""
    body: dict[str, Any] = answer.json()
    assert (answer.status_code, body.get("code")) == (status, code), answer.text
    assert {*body} - {"code"} == {"error", "message", "details"}
    return body


def codes(body: dict[str, Any]) -> list[str]:
    return [warning["code"] for warning in body["warnings"]]
