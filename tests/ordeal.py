"""Every route of the API, asked while a vendor fails, and asked again when it no longer does."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from time import monotonic
from typing import Any

import httpx

from rag.identity import LOCAL_OWNER
from rag.job import Failure
from rag.model import Access, Ask, Change, Draft, Reply
from rag.stores import layout
from rag.stores.answers import Given
from tests.conftest import Server
from tests.routes import routes
from tests.worker import work

SECRET = "zebra"
TRAVEL = {"source": "h", "path": "/t", "title": "Travel", "text": "Hotels cost up to 140 euros."}
OLD = {"source": "h", "path": "/o", "title": "Old", "text": "Fax machines are in the cellar."}
NEW = {"source": "h", "path": "/n", "title": "Rust", "text": "Rust has a borrow checker."}
CHANGED = {**TRAVEL, "text": "Hotels cost up to 150 euros. Trains cost less."}
SENT = {"id": "go", "title": "Go", "text": "Go has channels and a garbage collector."}
STOPPED = {"id": "ada", "title": "Ada", "text": "Ada has tasks and entries."}
FILE = {"filename": "a.md", "mediaType": "text/markdown", "size": 100}
PAGE = "https://docs.example"
SESSION = "550e8400-e29b-41d4-a716-446655440000"
ANSWER = "ans_00000000000000000000000000"
HIDDEN = f"Hotels of the {SECRET} cost up to 140 euros: borrow a fax machine."

ROUTES = {
    "create": ("POST", "/api/rag/ingest"),
    "replace": ("POST", "/api/rag/ingest"),
    "send": ("POST", "/api/rag/ingest"),
    "search": ("POST", "/api/rag/search"),
    "retrieve": ("POST", "/api/rag/retrieve"),
    "query": ("POST", "/api/rag/query"),
    "stream": ("POST", "/api/rag/query"),
    "chat": ("POST", "/api/chat"),
    "ask": ("POST", "/api/chat"),
    "go on": ("POST", "/api/chat"),
    "list": ("GET", "/api/rag/documents"),
    "read": ("GET", "/api/rag/documents/{documentId}"),
    "delete": ("DELETE", "/api/rag/documents/{documentId}"),
    "jobs": ("GET", "/api/rag/ingest"),
    "job": ("GET", "/api/rag/ingest/{jobId}"),
    "cancel": ("DELETE", "/api/rag/ingest/{jobId}"),
    "upload": ("POST", "/api/rag/uploads"),
    "sources": ("GET", "/api/rag/sources"),
    "source": ("GET", "/api/rag/sources/{sourceId}"),
    "new source": ("POST", "/api/rag/sources"),
    "change source": ("PATCH", "/api/rag/sources/{sourceId}"),
    "delete source": ("DELETE", "/api/rag/sources/{sourceId}"),
    "usage": ("GET", "/api/rag/usage"),
    "visit": ("POST", "/api/v1/chat"),
    "visit stream": ("POST", "/api/v1/chat"),
    "rate": ("POST", "/api/v1/feedback"),
    "feedback": ("GET", "/api/v1/feedback"),
    "sites": ("GET", "/api/v1/sites"),
    "look": ("GET", "/api/v1/sites/{siteId}/look"),
    "new site": ("POST", "/api/v1/sites"),
    "delete site": ("DELETE", "/api/v1/sites/{siteId}"),
}

WRITES = (
    "create", "replace", "send", "go on", "delete", "cancel", "upload",
    "new source", "change source", "delete source", "rate", "new site", "delete site",
)  # fmt: skip

QUESTIONS = ("search", "retrieve", "query", "stream", "ask", "visit", "visit stream")
# By callers whose coming is counted.
COUNTED = ("visit", "visit stream", "rate")

# What is expected of a call while the vendor fails.
WORKS, PLAIN, EITHER = "works", "a 503 without a code", "works, or a 503 with a code"
# All that visitors and the owners of their sites are told of it, whatever it is.
UNAVAILABLE = {
    "code": "SERVICE_UNAVAILABLE", "message": "RAG service is temporarily unavailable",
    "details": {"retry_after": 30},
}  # fmt: skip


class Parrot:
    """A language model that says all it was told: what leaks into a prompt is seen."""

    name = "parrot"

    def answer(self, ask: Ask) -> Reply:
        return Reply(f"{ask.system} {[message.content for message in ask.messages]}", self.name)

    def stream(self, ask: Ask) -> Generator[str, None, Reply]:
        reply = self.answer(ask)
        yield from reply.text.splitlines(keepends=True)
        return reply


class Ordeal:
    """A server with documents, a conversation, and things that its caller must never see."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._http = server.http
        ids = [self._ingest(document) for document in (TRAVEL, OLD)]
        elsewhere = {**NEW, "path": "/z", "text": HIDDEN, "title": SECRET}
        assert self._http.post(
            "/api/rag/ingest", json=elsewhere, headers=server.token(org="zeta")
        ).is_success
        sources = server.footnote.sources
        private = sources.create("local", "somebody else", "Other", Access("personal"))
        own = sources.create("local", LOCAL_OWNER.sub, "Own", Access("public"))
        doomed = sources.create("local", LOCAL_OWNER.sub, "Doomed", Access("public"))
        sites = server.footnote.sites
        shown = sites.create("local", LOCAL_OWNER.sub, "Docs", [PAGE], ["default", private.id], {})
        closed = sites.create("local", LOCAL_OWNER.sub, "Closed", [PAGE], [], {})
        given = Given("local", shown.id, SESSION, "When?", "answer", (), None)
        server.footnote.answers.keep(ANSWER, given)
        self._visitor = {"X-Site": shown.id}
        hidden = Draft("h", "/hidden", SECRET, HIDDEN, data_source=private.id)
        server.footnote.ingestion.ingest("local", hidden)
        upload = Change("uploads/local/default/none.md", 1_800_000_000.0, "01")
        server.footnote.worker.following.give_up(upload, Failure("NOT_FOUND", "None."))
        [job] = self._http.get("/api/rag/ingest").json()["jobs"]
        waiting = self._post("/api/rag/ingest", many(STOPPED)).json()["jobId"]
        body = {"message": "What is in the cellar?", **RAG}
        self._conversation = self._post("/api/chat", body).json()["data"]["conversationId"]
        self.calls: dict[str, Callable[[], httpx.Response]] = {
            "create": lambda: self._post("/api/rag/ingest", NEW),
            "replace": lambda: self._post("/api/rag/ingest", CHANGED),
            "send": lambda: self._post("/api/rag/ingest", many(SENT)),
            "search": lambda: self._post("/api/rag/search", {"query": "borrow hotels"}),
            "retrieve": lambda: self._post(
                "/api/rag/retrieve", {"query": "borrow a hotel", "explain": True}
            ),
            "query": lambda: self._post("/api/rag/query", {"query": "What do hotels cost now?"}),
            "stream": lambda: self._post(
                "/api/rag/query", {"query": "Up to what do hotels cost?", "stream": True}
            ),
            "ask": lambda: self._post("/api/chat", {"message": "What do hotels cost?", **RAG}),
            "chat": lambda: self._post("/api/chat", {"message": "Good day."}),
            "go on": lambda: self._post(
                "/api/chat", {"message": "Lost?", "conversationId": self._conversation, **RAG}
            ),
            "list": lambda: self._http.get("/api/rag/documents"),
            "read": lambda: self._http.get(f"/api/rag/documents/{ids[0]}"),
            "delete": lambda: self._http.delete(f"/api/rag/documents/{ids[1]}"),
            "jobs": lambda: self._http.get("/api/rag/ingest"),
            "job": lambda: self._http.get(f"/api/rag/ingest/{job['jobId']}"),
            "cancel": lambda: self._http.delete(f"/api/rag/ingest/{waiting}"),
            "upload": lambda: self._post("/api/rag/uploads", {**IN_DEFAULT, **FILE}),
            "sources": lambda: self._http.get("/api/rag/sources"),
            "source": lambda: self._http.get(f"/api/rag/sources/{own.id}"),
            "new source": lambda: self._post(
                "/api/rag/sources", {"name": "New", "visibility": "personal"}
            ),
            "change source": lambda: self._http.patch(
                f"/api/rag/sources/{own.id}", json={"name": "Renamed"}
            ),
            "delete source": lambda: self._http.delete(f"/api/rag/sources/{doomed.id}"),
            "usage": lambda: self._http.get("/api/rag/usage"),
            "visit": lambda: self._visit("What may hotels cost?"),
            "visit stream": lambda: self._visit("How much do hotels cost?", "text/event-stream"),
            "rate": lambda: self._http.post(
                "/api/v1/feedback",
                json={"answer_id": ANSWER, "session_id": SESSION, "helpful": True},
                headers=self._visitor,
            ),
            "feedback": lambda: self._http.get("/api/v1/feedback"),
            "sites": lambda: self._http.get("/api/v1/sites"),
            "look": lambda: self._http.get(f"/api/v1/sites/{shown.id}/look"),
            "new site": lambda: self._post(
                "/api/v1/sites", {"name": "New", "origins": [PAGE], "data_sources": ["default"]}
            ),
            "delete site": lambda: self._http.delete(f"/api/v1/sites/{closed.id}"),
        }

    def undergo(
        self,
        expected: Mapping[str, str],
        begin: Callable[[], object],
        end: Callable[[], object],
        most_seconds: float = 20,
    ) -> None:
        """Make each call while the vendor fails and after; nothing may be lost or half done."""
        assert api_routes(self.server) == set(ROUTES.values())
        assert {*self.calls} == {*expected} == {*ROUTES}
        before = self.state()
        for name, call in self.calls.items():
            begin()
            started = monotonic()
            answer = call()
            took = monotonic() - started
            end()
            assert took < most_seconds, name
            assert SECRET not in answer.text.lower(), name
            check(name, answer, expected[name])
            if not answer.is_success and name in WRITES:
                assert self.state() == before, name
            if not answer.is_success or name in QUESTIONS:
                again = call()
                assert again.is_success, (name, again.text)
                assert name not in QUESTIONS or "Travel" in again.text, name
            if name in WRITES:
                before = self.state()
        self.check_all_is_well()

    def check_all_is_well(self) -> None:
        """Whether every call has done what it was to do, once and for all."""
        assert work(self.server.footnote) == []
        titles = {document["title"]: document["text"] for document in self.state()["documents"]}
        assert titles == {"Travel": CHANGED["text"], "Rust": NEW["text"], "Go": SENT["text"]}
        for query, title in (("borrow checker", "Rust"), ("trains", "Travel"), ("channel", "Go")):
            assert self.found(query)[0] == title
        assert "Old" not in self.found("fax machines in the cellar")

    def litter(self) -> set[str]:
        """The notes about versions that are still to be swept."""
        items = self.server.footnote.parts.items
        shards = map(layout.garbage_shard, range(layout.GARBAGE_SHARDS))
        return {sk for shard in shards for sk, _ in items.query(shard)}

    def state(self) -> dict[str, Any]:
        """All that the caller could see."""
        listed = self._http.get("/api/rag/documents").json()["documents"]
        whole = [self._http.get(f"/api/rag/documents/{one['documentId']}").json() for one in listed]
        kept = self.server.footnote.chat.conversations.get(
            LOCAL_OWNER.org, LOCAL_OWNER.sub, self._conversation
        )
        return {
            "documents": whole,
            "found": sorted(self.found("euros")),
            "conversation": kept,
            "jobs": self._http.get("/api/rag/ingest").json(),
            "sources": self._http.get("/api/rag/sources").json(),
            "sites": self._http.get("/api/v1/sites").json(),
            "feedback": self._http.get("/api/v1/feedback").json(),
        }

    def found(self, query: str) -> list[str]:
        """The titles that a search finds."""
        answer = self._post("/api/rag/search", {"query": query, "topK": 9})
        assert answer.status_code == 200, answer.text
        assert SECRET not in answer.text.lower()
        return [one["metadata"]["title"] for one in answer.json()["results"]]

    def _ingest(self, document: dict[str, Any]) -> str:
        answer = self._post("/api/rag/ingest", document)
        assert answer.status_code == 200, answer.text
        id: str = answer.json()["documentId"]
        return id

    def _visit(self, message: str, accept: str = "*/*") -> httpx.Response:
        context = {"mode": "browse", "session_id": SESSION}
        body = {"message": message, "context": context, "tier": "anonymous"}
        headers = {**self._visitor, "Accept": accept}
        return self._http.post("/api/v1/chat", json=body, headers=headers)

    def _post(self, path: str, body: dict[str, Any]) -> httpx.Response:
        return self._http.post(path, json=body)


RAG = {"useRag": True}
IN_DEFAULT = {"dataSourceId": "default"}


def many(*documents: dict[str, str]) -> dict[str, Any]:
    """The body that makes a job of documents."""
    return {**IN_DEFAULT, "documents": documents}


def api_routes(server: Server) -> set[tuple[str, str]]:
    """The routes of every contract."""
    return {route for route in routes(server) if route[1].startswith("/api/")}


def check(name: str, answer: httpx.Response, expected: str) -> None:
    """Whether the answer is what was expected, in the contract's envelope."""
    told = (name, answer.status_code, answer.text)
    if expected == WORKS or (expected == EITHER and answer.is_success):
        assert answer.is_success, told
        return
    body = answer.json()
    if ROUTES[name][1].startswith("/api/v1/"):
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "30"), told
        assert body == {"error": UNAVAILABLE}, told
        return
    assert (answer.status_code, body["error"]) == (503, "Service unavailable"), told
    if expected == PLAIN:
        assert set(body) == {"error", "message", "details"}, told
    else:
        assert set(body) == {"error", "message", "details", "code"}, told
        assert expected in (EITHER, body["code"]), told
    assert body["details"] == {}, told
    assert body["message"].endswith("."), told
