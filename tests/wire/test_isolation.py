"""Orgs never see each other, by any route: random callers do everything beside a simple model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from rag.model import Change, Principal
from rag.stores.jobs import Failure
from tests.conftest import Clock, Server
from tests.ordeal import Parrot
from tests.routes import routes

PATHS = [f"/{number}.md" for number in range(6)]
FACTS = ["Newts sleep in winter.", "Newts eat snails at night.", "A pond may hold forty newts."]
QUERIES = ["Where do newts sleep?", "What do newts eat?", "How many newts are in a pond?"]
ROUNDS = 10
KINDS = {"doc": "document", "conv": "conversation", "job": "job", "src": "data source"}


@dataclass(eq=False)
class Org:
    """An org and the texts that it holds, by document. Its mark is in all that it ever sends."""

    name: str
    mark: str
    texts: dict[str, str] = field(default_factory=dict)
    jobs: set[str] = field(default_factory=set)
    sources: dict[str, tuple[str, str]] = field(default_factory=dict)  # owner and visibility


@dataclass(eq=False)
class Member:
    """A caller, and the conversations that are its own."""

    org: Org
    sub: str
    headers: dict[str, str]
    admin: bool = False
    conversations: list[str] = field(default_factory=list)

    def knows(self, source: str) -> bool:
        """Whether there is such a source for this caller."""
        _, visibility = self.org.sources.get(source, ("", ""))
        return visibility == "public" or self.may_change(source)

    def may_change(self, source: str) -> bool:
        return source in self.org.sources and (
            self.admin or self.org.sources[source][0] == self.sub
        )


class World:
    """Members of several orgs who know each other's ids, and a probe for every route."""

    def __init__(self, server: Server, dice: Random) -> None:
        self._server = server
        self._http = server.http
        self._dice = dice
        acme, zeta, local = (
            Org(name, f"mark{dice.randrange(10**12)}") for name in ("acme", "zeta", "local")
        )
        self.members = [
            Member(acme, "ann", server.token("ann", "acme")),
            Member(acme, "bob", server.token("bob", "acme", roles=["admin"]), admin=True),
            Member(acme, "key-acme", api_key(server, "acme")),
            Member(
                zeta,
                "ann",
                server.token("ann", "zeta", roles=["admin"], tier="premium"),
                admin=True,
            ),
            Member(zeta, "key-zeta", api_key(server, "zeta")),
            Member(local, "local", {}, admin=True),
        ]
        self._orgs = [acme, zeta, local]
        self._documents = ["doc_0"]
        self._jobs = ["job_0"]
        self._sources = ["src_0"]
        self._uploads = 0
        self._conversations = ["conv_0"]

    def ingest(self, member: Member) -> None:
        fact, path = self._dice.choice(FACTS), self._dice.choice(PATHS)
        body = described(path, f"{fact} {member.org.mark}")
        answer = self._call(member, "POST", "/api/rag/ingest", json=body).json()
        before = member.org.texts.get(answer["documentId"])
        unchanged = "unchanged" if before == body["text"] else "updated"
        assert answer["status"] == ("created" if before is None else unchanged)
        member.org.texts[answer["documentId"]] = body["text"]
        self._documents.append(answer["documentId"])

    def list(self, member: Member) -> None:
        answer = self._call(member, "GET", "/api/rag/documents").json()
        assert {one["documentId"] for one in answer["documents"]} == set(member.org.texts)

    def read(self, member: Member) -> None:
        id = self._dice.choice(self._documents)
        answer = self._call(member, "GET", f"/api/rag/documents/{id}")
        if self._is_there(answer, id, id in member.org.texts):
            assert answer.json()["text"] == member.org.texts[id]

    def delete(self, member: Member) -> None:
        id = self._dice.choice(self._documents)
        answer = self._call(member, "DELETE", f"/api/rag/documents/{id}")
        if self._is_there(answer, id, id in member.org.texts):
            del member.org.texts[id]

    def upload(self, member: Member) -> None:
        """Its jobs are listed, and each is read by its own org alone."""
        self._uploads += 1
        key = f"uploads/{member.org.name}/default/{member.org.mark}.txt"
        change = Change(key, 1_800_000_000.0 + self._uploads, "01")
        self._server.footnote.worker.following.give_up(change, Failure("NOT_FOUND", "None."))
        jobs = self._call(member, "GET", "/api/rag/ingest?limit=100").json()["jobs"]
        member.org.jobs = {job["jobId"] for job in jobs}
        self._jobs += member.org.jobs

    def send_form(self, member: Member) -> None:
        """A form that a member was given brings nothing to where another org's files are."""
        parts, org = self._server.footnote.parts, self._dice.choice(self._orgs)
        form = parts.forms.upload_form(_incoming(member.org), "text/plain", 100, 60)
        answer = self._call(
            member,
            "POST",
            form.url,
            data={**form.fields, "key": _incoming(org)},
            files={"file": member.org.mark.encode()},
        )
        assert answer.status_code == (204 if org is member.org else 403)
        assert parts.objects.get(_incoming(org)) in (None, org.mark.encode())

    def job(self, member: Member) -> None:
        id = self._dice.choice(self._jobs)
        answer = self._call(member, "GET", f"/api/rag/ingest/{id}")
        self._is_there(answer, id, id in member.org.jobs)

    def make_source(self, member: Member) -> None:
        visibility = self._dice.choice(["public", "personal"])
        body = {"name": member.org.mark, "visibility": visibility}
        answer = self._call(member, "POST", "/api/rag/sources", json=body)
        assert answer.status_code == 201
        source = answer.json()
        member.org.sources[source["id"]] = (source["owner"], visibility)
        self._sources.append(source["id"])

    def list_sources(self, member: Member) -> None:
        listed = self._call(member, "GET", "/api/rag/sources").json()["sources"]
        known = {id for id in member.org.sources if member.knows(id)}
        assert {one["id"] for one in listed} == {"default", *known}

    def read_source(self, member: Member) -> None:
        id = self._dice.choice(self._sources)
        answer = self._call(member, "GET", f"/api/rag/sources/{id}")
        self._is_there(answer, id, member.knows(id))

    def rename_source(self, member: Member) -> None:
        self._changed(member, "PATCH", json={"name": member.org.mark})

    def delete_source(self, member: Member) -> None:
        id = self._changed(member, "DELETE")
        if id is not None:
            del member.org.sources[id]

    def _changed(self, member: Member, method: str, **more: Any) -> str | None:
        """The source that was changed, if it may be."""
        id = self._dice.choice(self._sources)
        answer = self._call(member, method, f"/api/rag/sources/{id}", **more)
        if member.knows(id) and not member.may_change(id):
            assert answer.status_code == 403
            return None
        return id if self._is_there(answer, id, member.knows(id)) else None

    def search(self, member: Member) -> None:
        body = {"query": self._dice.choice(QUERIES), "topK": 20}
        results = self._call(member, "POST", "/api/rag/search", json=body).json()["results"]
        found = {one["metadata"]["documentId"]: one["text"] for one in results}
        assert found == member.org.texts
        assert len(results) == len(found)

    def chat(self, member: Member) -> None:
        id = self._dice.choice([None, *member.conversations, *self._conversations])
        message = f"{self._dice.choice(QUERIES)} {member.org.mark}"
        body = {"message": message, "useRag": True, "ragTopK": 20, "conversationId": id}
        answer = self._call(member, "POST", "/api/chat", json=body)
        if self._is_there(answer, str(id), id is None or id in member.conversations):
            sources = [source["text"] for source in answer.json()["ragSources"]]
            assert sorted(sources) == sorted(member.org.texts.values())
            member.conversations.append(answer.json()["data"]["conversationId"])
            self._conversations.append(member.conversations[-1])

    def open_to_all(self, path: str) -> Callable[[Member], None]:
        """A probe of what is the same for everybody."""

        def probe(member: Member) -> None:
            answer = self._call(member, "GET", path)
            assert answer.status_code == 200
            assert answer.content == self._http.get(path).content

        return probe

    def probes(self) -> dict[tuple[str, str], Callable[[Member], None]]:
        return {
            ("POST", "/api/rag/ingest"): self.ingest,
            ("GET", "/api/rag/ingest"): self.upload,
            ("GET", "/api/rag/ingest/{jobId}"): self.job,
            ("GET", "/api/rag/sources"): self.list_sources,
            ("POST", "/api/rag/sources"): self.make_source,
            ("GET", "/api/rag/sources/{sourceId}"): self.read_source,
            ("PATCH", "/api/rag/sources/{sourceId}"): self.rename_source,
            ("DELETE", "/api/rag/sources/{sourceId}"): self.delete_source,
            ("GET", "/api/rag/documents"): self.list,
            ("GET", "/api/rag/documents/{documentId}"): self.read,
            ("DELETE", "/api/rag/documents/{documentId}"): self.delete,
            ("POST", "/api/rag/search"): self.search,
            ("POST", "/api/chat"): self.chat,
            ("POST", "/uploads"): self.send_form,
            ("GET", "/health"): self.open_to_all("/health"),
            ("GET", "/"): self.open_to_all("/docs"),
            ("GET", "/docs"): self.open_to_all("/docs"),
            ("GET", "/docs/assets"): self.open_to_all("/docs/assets/swagger-ui.css"),
            ("GET", "/openapi.json"): self.open_to_all("/openapi.json"),
        }

    def _call(self, member: Member, method: str, path: str, **more: Any) -> httpx.Response:
        answer = self._http.request(method, path, headers=member.headers, **more)
        for org in self._orgs:
            assert org is member.org or org.mark not in answer.text
        return answer

    def _is_there(self, answer: httpx.Response, id: str, expected: bool) -> bool:
        """What another org has is answered like what nobody has."""
        if expected:
            assert answer.status_code == 200, answer.text
            return True
        kind = KINDS[id.partition("_")[0]]
        message = f"There is no {kind} {id}."
        assert answer.status_code == 404
        assert answer.json() == {"error": "Not found", "message": message, "details": {}}
        return False


def _incoming(org: Org) -> str:
    return f"incoming/{org.name}/up_1/a.txt"


def api_key(server: Server, org: str) -> dict[str, str]:
    return {"x-api-key": server.footnote.api_keys.create(Principal(f"key-{org}", org))}


def described(path: str, text: str) -> dict[str, Any]:
    return {
        "source": "pond", "path": path, "title": f"Newts in {path}", "text": text,
        "tags": ["newts"], "metadata": {"text": text},
    }  # fmt: skip


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


def test_documents_of_another_org_change_no_byte_of_any_answer(
    start: Callable[..., Server], tmp_path: Path, clock: Clock
) -> None:
    alone = start({"DATA_DIR": str(tmp_path / "alone")}, clock=clock)
    beside = start({"DATA_DIR": str(tmp_path / "beside")}, clock=clock)
    assert everything_asked(alone, lambda: None) == everything_asked(beside, neighbour(beside))


def neighbour(server: Server) -> Callable[[], None]:
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
        id = answer.json()["documentId"]
        assert server.http.delete(f"/api/rag/documents/{id}", headers=headers).status_code == 200

    return change


def everything_asked(server: Server, meanwhile: Callable[[], None]) -> list[bytes]:
    """The answers of every route to a member of one org, while something else may happen."""
    headers = server.token("ann", "acme")
    answers: list[bytes] = []

    def ask(method: str, path: str, **more: Any) -> httpx.Response:
        answer = server.http.request(method, path, headers=headers, **more)
        assert answer.status_code == 200, answer.text
        answers.append(answer.content)
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
        chat = ask("POST", "/api/chat", json={"message": query, "useRag": True})
        id = chat.json()["data"]["conversationId"].encode()
        answers[-1] = answers[-1].replace(id, b"")
    ask("DELETE", f"/api/rag/documents/{ids.pop()}")
    meanwhile()
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
    document = server.http.post("/api/rag/ingest", json=described("/1.md", FACTS[0]), headers=ann)
    chat = server.http.post("/api/chat", json={"message": "hi"}, headers=ann)
    theirs = {
        "{document}": document.json()["documentId"],
        "{conversation}": chat.json()["data"]["conversationId"],
    }
    nobodys = {name: id[:-4] + "0000" for name, id in theirs.items()}

    def asked(ids: dict[str, str]) -> tuple[int, str, list[str]]:
        filled = {key: ids.get(value, value) for key, value in (body or {}).items()}
        place = path.replace("{document}", ids["{document}"])
        answer = server.http.request(method, place, json=filled or None, headers=other)
        text = answer.text
        for name, id in ids.items():
            text = text.replace(id, name)
        return answer.status_code, text, sorted(answer.headers)

    assert asked(theirs) == asked(nobodys)
    assert asked(theirs)[0] == 404
