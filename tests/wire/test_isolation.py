"""Orgs never see each other, by any route."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import httpx
import pytest

from rag.adapters.pinecone import PineconeIndex
from rag.adapters.pinecone.connect import connect
from rag.model import Access, Draft
from rag.query.lexical import LexicalReranker
from tests.conftest import Clock, Server, serving_pinecone
from tests.ordeal import Parrot
from tests.routes import routes
from tests.worker import work
from tests.world import FACTS, INGEST, QUERIES, World, described

ROUNDS = 10
DEFAULT = {"dataSourceId": "default"}
FILE = {"filename": "a.md", "mediaType": "text/markdown", "size": 100}
# The end of names that begin with their time.
RANDOM = re.compile(rb"[0-9A-Z]{26}")
MILLISECONDS = re.compile(rb'"milliseconds": ?\{[^}]*\}|"\w+_time_ms": ?\d+,?')
SITES, FEEDBACK, VISIT = "/api/v1/sites", "/api/v1/feedback", "/api/v1/chat"
SESSION = {"session_id": "550e8400-e29b-41d4-a716-446655440000"}
SITE = {"name": "Newts", "origins": ["https://newts.example"]}
EVENTS = "text/event-stream"


def test_nothing_of_another_org_is_ever_seen_by_any_route(
    start: Callable[..., Server], dice: Random
) -> None:
    server = start(answerer=Parrot())
    world = World(server, dice)
    probes = world.probes()
    assert set(probes) == routes(server), "every route needs a probe here"
    for _ in range(ROUNDS):
        calls = [(probe, member) for probe in probes.values() for member in world.members]
        for probe, member in dice.sample(calls, len(calls)):
            probe(member)
    assert world.shown, "visitors saw nothing at all"


Happening: TypeAlias = Callable[[], object]


def neighbour(server: Server) -> Happening:
    """An org that holds very similar documents, under the same names too, and keeps changing."""
    headers = server.token("ann", "zeta")
    calls = 0

    def change() -> None:
        nonlocal calls
        calls += 1
        for number, fact in enumerate(FACTS * 2):
            body = described(f"/{number}.md", f"{fact} {calls} newts sleep and eat in a pond.")
            answer = server.http.post("/api/rag/ingest", json=body, headers=headers)
            assert answer.status_code == 200
        many = [{"id": f"/{number}.md", "text": fact} for number, fact in enumerate(FACTS)]
        for place, body in (
            (INGEST, {**DEFAULT, "documents": many}),
            ("/api/rag/uploads", {**DEFAULT, **FILE}),
        ):
            assert server.http.post(place, json=body, headers=headers).is_success
        id = answer.json()["documentId"]
        assert server.http.delete(f"/api/rag/documents/{id}", headers=headers).status_code == 200

    return change


def colleague(server: Server) -> Happening:
    """One of the same org with a document that is very similar, keeps changing, and is for nobody
    else."""
    source = server.footnote.sources.create("acme", "bob", "Own", Access("personal"))
    calls = 0

    def change() -> None:
        nonlocal calls
        calls += 1
        text = f"{calls} newts sleep and eat in a pond. {' '.join(FACTS)}"
        draft = Draft("newts", "/0.md", "Newts", text, data_source=source.id)
        server.footnote.ingestion.ingest("acme", draft)

    return change


@pytest.mark.parametrize("hidden", [neighbour, colleague])
def test_what_one_may_not_see_changes_no_byte_of_any_answer(
    start: Callable[..., Server],
    tmp_path: Path,
    clock: Clock,
    hidden: Callable[[Server], Happening],
) -> None:
    alone = start({"DATA_DIR": str(tmp_path / "alone")}, clock=clock)
    beside = start({"DATA_DIR": str(tmp_path / "beside")}, clock=clock)
    expected = everything_asked(alone, clock, lambda: None)
    assert everything_asked(beside, clock, hidden(beside)) == expected


def test_nor_does_it_where_pinecone_holds_the_vectors(
    start: Callable[..., Server], tmp_path: Path, clock: Clock
) -> None:
    with serving_pinecone(384) as one, serving_pinecone(384) as other:
        alone, beside = (
            start(
                {"DATA_DIR": str(tmp_path / str(number))},
                clock=clock,
                index=PineconeIndex(connect(vendor.api_key, vendor.url)),
                reranker=LexicalReranker(),
            )
            for number, vendor in enumerate((one, other))
        )
        expected = everything_asked(alone, clock, lambda: None)
        assert everything_asked(beside, clock, colleague(beside)) == expected


def everything_asked(server: Server, clock: Clock, meanwhile: Happening) -> list[bytes]:
    """The answers of every route to a member of one org, while something else may happen."""
    clock.now = Clock().now
    site = server.footnote.sites.create("acme", "ann", "Newts", [], ["default"], {})
    headers = {**server.token("ann", "acme"), "X-Site": site.id}
    answers: list[bytes] = []

    def ask(method: str, path: str, accept: str = "*/*", **more: Any) -> httpx.Response:
        clock.now += 1
        sent = {**headers, "Accept": accept}
        answer = server.http.request(method, path, headers=sent, **more)
        assert answer.is_success, answer.text
        answers.append(MILLISECONDS.sub(b"", RANDOM.sub(b"", answer.content)))
        return answer

    ids = []
    for number, fact in enumerate(FACTS):
        meanwhile()
        document = ask("POST", "/api/rag/ingest", json=described(f"/{number}.md", fact))
        ids.append(document.json()["documentId"])
    for query in QUERIES:
        meanwhile()
        ask("POST", "/api/rag/search", json={"query": query, "topK": 20})
        ask("POST", "/api/rag/search", json={"query": query, "filters": {"tags": ["newts"]}})
        ask("POST", "/api/rag/retrieve", json={"query": query, "explain": True})
        ask("POST", "/api/rag/query", json={"query": query, "explain": True})
        ask("POST", "/api/rag/query", json={"query": query, "stream": True})
        chat = ask("POST", "/api/chat", json={"message": query, "useRag": True})
        id = chat.json()["data"]["conversationId"].encode()
        answers[-1] = answers[-1].replace(id, b"")
        given = ask("POST", VISIT, json=asked(query)).json()["answer_id"]
        ask("POST", VISIT, EVENTS, json=asked(f"{query} Please."))
        ask("POST", FEEDBACK, json={"answer_id": given, **SESSION, "helpful": True})
    meanwhile()
    ask("GET", FEEDBACK)
    ask("GET", SITES)
    ask("GET", f"{SITES}/{site.id}/look")
    made = ask("POST", SITES, json={**SITE, "data_sources": []}).json()["id"]
    ask("DELETE", f"{SITES}/{made}")
    ask("DELETE", f"/api/rag/documents/{ids.pop()}")
    meanwhile()
    for text in ("Newts shed their skin.", "Newts have four toes."):
        body = {**DEFAULT, "documents": [{"id": "/0.md", "text": text}]}
        job = f"{INGEST}/{ask('POST', INGEST, json=body).json()['jobId']}"
        meanwhile()
        ask("GET", job)
        work(server.footnote)
        meanwhile()
        ask("GET", job)
    waiting = ask("POST", "/api/rag/uploads", json={**DEFAULT, **FILE}).json()
    answers.pop()  # it is signed, by each server with its own secret
    ask("GET", INGEST)
    ask("DELETE", f"{INGEST}/{waiting['jobId']}")
    ask("GET", "/api/rag/documents")
    for id in ids:
        ask("GET", f"/api/rag/documents/{id}")
    ask("POST", "/api/rag/search", json={"query": QUERIES[0], "topK": 20})
    ask("GET", "/health")
    return answers


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/rag/documents/{document}", None),
        ("DELETE", "/api/rag/documents/{document}", None),
        ("POST", "/api/chat", {"message": "hi", "conversationId": "{conversation}"}),
        (
            "POST",
            "/api/chat",
            {"message": "hi", "useRag": True, "conversationId": "{conversation}"},
        ),
        ("GET", "/api/rag/ingest/{job}", None),
        ("DELETE", "/api/rag/ingest/{job}", None),
        ("POST", INGEST, {"dataSourceId": "{source}", "documents": [{"text": "x"}]}),
        ("POST", "/api/rag/uploads", {"dataSourceId": "{source}", **FILE}),
        ("POST", "/api/rag/retrieve", {"query": "newts", "dataSources": ["{source}"]}),
        ("POST", "/api/rag/query", {"query": "newts", "dataSources": ["default", "{source}"]}),
        ("POST", INGEST, {**DEFAULT, "documents": [{"uploadId": "{upload}"}]}),
        ("DELETE", "/api/v1/sites/{site}", None),
        ("POST", SITES, {**SITE, "data_sources": ["{source}"]}),
        ("POST", FEEDBACK, {"answer_id": "{answer}", **SESSION, "helpful": True}),
    ],
)
@pytest.mark.parametrize("stranger", [("ann", "zeta"), ("bob", "zeta")])
def test_what_is_forbidden_looks_like_what_is_absent(
    start: Callable[..., Server],
    method: str,
    path: str,
    body: dict[str, Any] | None,
    stranger: tuple[str, str],
) -> None:
    server = start(answerer=Parrot())
    ann, other = server.token("ann", "acme"), server.token(*stranger)
    theirs = things_of(server, ann)
    nobodys = {name: id[:-4] + "0000" for name, id in theirs.items()}

    def asked(ids: dict[str, str]) -> tuple[int, str, list[str]]:
        place, sent = path, json.dumps(body)
        for name, id in ids.items():
            place, sent = place.replace(name, id), sent.replace(name, id)
        filled = None if body is None else json.loads(sent)
        answer = server.http.request(method, place, json=filled, headers=other)
        text = answer.text
        for name, id in ids.items():
            text = text.replace(id, name)
        return answer.status_code, text, sorted(answer.headers)

    assert asked(theirs) == asked(nobodys)
    assert asked(theirs)[0] == (400 if "uploadId" in str(body) else 404)


def asked(message: str) -> dict[str, Any]:
    """What a visitor asks."""
    return {"message": message, "context": {"mode": "browse", **SESSION}, "tier": "anonymous"}


def things_of(server: Server, headers: dict[str, str]) -> dict[str, str]:
    """One of each kind, by how the tests above call it."""

    def made(path: str, body: dict[str, Any], site: str = "demo") -> Any:
        answer = server.http.post(path, json=body, headers={**headers, "X-Site": site})
        assert answer.is_success, answer.text
        return answer.json()

    form = made("/api/rag/uploads", {**DEFAULT, **FILE, "ingest": False})
    files = {"file": b"Newts."}
    assert server.http.post(form["url"], data=form["fields"], files=files).status_code == 204
    site = made(SITES, {**SITE, "data_sources": []})["id"]
    return {
        "{site}": site,
        "{answer}": made(VISIT, asked("What is a newt?"), site)["answer_id"],
        "{document}": made(INGEST, described("/1.md", FACTS[0]))["documentId"],
        "{conversation}": made("/api/chat", {"message": "hi"})["data"]["conversationId"],
        "{job}": made(INGEST, {**DEFAULT, "documents": [{"text": "Newts."}]})["jobId"],
        "{source}": made("/api/rag/sources", {"name": "n", "visibility": "public"})["id"],
        "{upload}": form["uploadId"],
    }
