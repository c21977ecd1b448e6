"""People who ingest, and a server whose clock and model do as a test wants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import httpx
import pytest

from rag.adapters.embedded.minilm import MiniLM
from rag.footnote import MINUTE
from tests.conftest import Clock, Server

INGEST = "/api/rag/ingest"
FILE = {"dataSourceId": "default", "filename": "a.md", "mediaType": "text/markdown", "size": 100}


class Interrupted(MiniLM):
    """The model, with something that happens before it embeds."""

    before: Callable[[Sequence[str]], object]

    def __init__(self, minilm: MiniLM) -> None:
        self.__dict__ = {**minilm.__dict__, "before": lambda texts: None}

    def embed(self, texts: Any) -> Any:
        self.before(texts)
        return super().embed(texts)


class Person:
    """A caller."""

    def __init__(self, server: Server, sub: str, org: str = "acme", **claims: Any) -> None:
        self._http = server.http
        self._headers = server.token(sub, org, **claims)

    def ask(
        self, method: str, path: str, headers: dict[str, str] | None = None, **more: Any
    ) -> httpx.Response:
        headers = {**self._headers, **(headers or {})}
        answer = self._http.request(method, path, headers=headers, **more)
        # n8n takes such an answer for a failure.
        assert answer.is_error == ("error" in answer.json()), answer.text
        return answer

    def send(
        self, *documents: Any, into: str = "default", key: str | None = None, **more: Any
    ) -> httpx.Response:
        """Ask for documents to be ingested."""
        headers = {} if key is None else {"Idempotency-Key": key}
        body = {"dataSourceId": into, "documents": documents, **more}
        return self.ask("POST", INGEST, headers, json=body)

    def begin(self, *documents: Any, into: str = "default", **more: Any) -> str:
        """The id of a new job."""
        answer = self.send(*documents, into=into, **more)
        assert answer.status_code == 202, answer.text
        id: str = answer.json()["jobId"]
        return id

    def job(self, id: str) -> dict[str, Any]:
        answer = self.ask("GET", f"{INGEST}/{id}")
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told

    def jobs(self) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = self.ask("GET", INGEST).json()["jobs"]
        return listed

    def cancel(self, id: str) -> httpx.Response:
        return self.ask("DELETE", f"{INGEST}/{id}")

    def upload(self, **changes: Any) -> httpx.Response:
        """Ask for a file to be uploaded."""
        return self.ask("POST", "/api/rag/uploads", json={**FILE, **changes})

    def form(self, **changes: Any) -> dict[str, Any]:
        """A form by which it can be."""
        answer = self.upload(**changes)
        assert answer.status_code == 201, answer.text
        told: dict[str, Any] = answer.json()
        return told

    def source(self, visibility: str, **more: Any) -> str:
        """The id of a new data source."""
        body = {"name": "Files", "visibility": visibility, **more}
        answer = self.ask("POST", "/api/rag/sources", json=body)
        assert answer.status_code == 201, answer.text
        id: str = answer.json()["id"]
        return id

    def document(self, id: str) -> dict[str, Any]:
        answer = self.ask("GET", f"/api/rag/documents/{id}")
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told

    def found(self, query: str) -> list[str]:
        """The texts that a search finds, best first."""
        answer = self.ask("POST", "/api/rag/search", json={"query": query, "topK": 20})
        return [one["text"] for one in answer.json()["results"]]


@pytest.fixture
def embedder(minilm: MiniLM) -> Interrupted:
    return Interrupted(minilm)


@pytest.fixture
def server(start: Callable[..., Server], clock: Clock, embedder: Interrupted) -> Server:
    return start(clock=clock, embedder=embedder)


@pytest.fixture
def ann(server: Server) -> Person:
    return Person(server, "ann")


@pytest.fixture
def bob(server: Server) -> Person:
    """Of Ann's org, with no special rights."""
    return Person(server, "bob")


@pytest.fixture
def root(server: Server) -> Person:
    """The admin of Ann's org."""
    return Person(server, "root", roles=["admin"])


@pytest.fixture
def zoe(server: Server) -> Person:
    """The admin of another org."""
    return Person(server, "zoe", "zeta", roles=["admin"])


def sweep(server: Server, clock: Clock, after: float = MINUTE) -> None:
    """What is done every minute, so many seconds later."""
    clock.now += after
    for chore in server.footnote.chores:
        if chore.every == MINUTE:
            chore.do()


def outcome(job: dict[str, Any]) -> list[str]:
    """What became of each document: its status, or the code of its failure."""
    return [
        one["failure"]["code"] if "failure" in one else str(one["status"]) for one in job["results"]
    ]
