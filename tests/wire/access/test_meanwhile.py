"""Access that changes while others ask: every answer is as things were at one moment of it."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from hashlib import sha256
from random import Random
from typing import Any, TypeAlias
from uuid import UUID

import httpx

from rag.model import Draft, Embedding
from tests.conftest import Server
from tests.wire.access.ledger import NAMES, VISIBILITIES, Document, Org, Person, Source
from tests.wire.access.scene import FACTS, PARTS
from tests.wire.access.signs import Signs

BURSTS, ASKERS, SOURCES = 60, 3, 6
# So long nothing changes, or who asks would have to be asked to ask again.
PAUSE_SECONDS = 0.1
QUESTION = "Where do newts sleep?"

# What a text ends with, and no other does.
VERSION = re.compile(r"\d\.\d{6,}")

# What was told, and what should have been told to a person as it was at one moment.
Answer: TypeAlias = tuple[object, Callable[[Person], object]]


class Slow(Signs):
    """As one that is asked over a network: much may happen between two looks at the tables."""

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        if QUESTION in texts:
            time.sleep(0.01)
        return super().embed(texts)


class Course:
    """What one person changes after the other, and what others are told meanwhile."""

    def __init__(self, server: Server, dice: Random) -> None:
        self._server = server
        self._dice = dice
        org = Org("acme")
        self._people = [
            Person(org, sub, frozenset({role}), frozenset({team}))
            for sub, role, team in zip(NAMES, NAMES, reversed(NAMES), strict=True)
        ]
        for number in range(SOURCES):
            owner = self._people[number % len(self._people)]
            body = {"name": f"Files {number}", "visibility": "public"}
            id = self._call(owner, "POST", "/api/rag/sources", json=body).json()["id"]
            org.sources[id] = Source(id, str(number), owner.sub, "public")
            for path in ("a", "b"):
                document = Document(id, "pond", path, "", "", f"{FACTS[0]} {dice.random()}")
                document.id = self._ingest(document)
                org.documents[document.id] = document
        listed = [id for id in org.sources if id != "default"]
        self._site = server.footnote.sites.create("acme", "ann", "Newts", [], listed, {}).id
        self._moments = [org]  # one is among them before it can have come
        self._past = 0  # those before this one are over

    def change(self) -> None:
        """Open a source to others or close it, and write into it at once, a few times over."""
        ids = [id for id in self._moments[-1].sources if id != "default"]
        id = self._dice.choice(ids)
        for _ in range(self._dice.randint(1, 3)):
            self._open_or_close(id)
            self._write(id)
        if len(ids) > 2 and self._dice.random() < 0.05:
            self._delete(id)

    def ask(self, dice: Random) -> None:
        """Somebody asks something, and there was a moment at which that was the answer."""
        person, first = dice.choice(self._people), self._past
        told, expected = dice.choice(ROUTES)(self, person, dice)
        possible = [
            expected(Person(org, person.sub, person.roles, person.teams))
            for org in self._moments[first:]
        ]
        assert told in possible, f"{person} is told {told}, which should be one of {possible}"

    # What is changed

    def _open_or_close(self, id: str) -> None:
        body: dict[str, Any] = {"visibility": self._dice.choice(VISIBILITIES)}
        body |= {name: self._dice.sample(NAMES, 1) for name in ("roles", "teams", "users")}
        self._then(
            lambda org: org.sources[id].change(body),
            lambda: self._by_owner("PATCH", id, json=body),
        )

    def _write(self, id: str) -> None:
        document = deepcopy(self._dice.choice(self._moments[-1].within(id)))
        document.text = f"{self._dice.choice(FACTS)} {self._dice.random()}"
        self._then(
            lambda org: org.documents.update({document.id: document}),
            lambda: self._ingest(document),
        )

    def _delete(self, id: str) -> None:
        self._then(lambda org: org.sources.pop(id), lambda: self._by_owner("DELETE", id))

    def _then(self, note: Callable[[Org], object], do: Callable[[], object]) -> None:
        org = deepcopy(self._moments[-1])
        note(org)
        self._moments.append(org)
        do()
        self._past = len(self._moments) - 1

    def _by_owner(self, method: str, id: str, **more: Any) -> None:
        owner = Person(self._moments[0], str(self._moments[0].sources[id].owner))
        answer = self._call(owner, method, f"/api/rag/sources/{id}", **more)
        assert answer.status_code == 200, answer.text

    def _ingest(self, document: Document) -> str:
        draft = Draft(
            document.source, document.path, "Newts", document.text, data_source=document.data_source
        )
        return self._server.footnote.ingestion.ingest("acme", draft).document_id

    # What is asked

    def search(self, person: Person, dice: Random) -> Answer:
        body = {"query": QUESTION, "topK": 20}
        answer = self._told(person, "POST", "/api/rag/search", json=body)
        return sorted(one["text"] for one in answer["results"]), texts

    def chat(self, person: Person, dice: Random) -> Answer:
        body = {"message": QUESTION, "useRag": True, "ragTopK": 20}
        answer = self._told(person, "POST", "/api/chat", json=body)
        return sorted(one["text"] for one in answer["ragSources"]), texts

    def visit(self, person: Person, dice: Random) -> Answer:
        """A visitor is told of what was open to the world, all of it at one moment."""
        context = {"mode": "browse", "session_id": str(UUID(int=0, version=4))}
        body = {"message": QUESTION, "context": context, "tier": "premium"}
        headers = {**self._server.token("visitor", tier="premium"), "X-Site": self._site}
        answer = self._server.http.post("/api/v1/chat", json=body, headers=headers)
        assert answer.status_code == 200, answer.text
        told = {*VERSION.findall(answer.json()["answer"])}
        told |= {
            version
            for one in answer.json()["sources"]
            for version in VERSION.findall(one["excerpt"])
        }
        return True, lambda then: told <= {*VERSION.findall(" ".join(public_texts(then)))}

    def list_documents(self, person: Person, dice: Random) -> Answer:
        answer = self._told(person, "GET", "/api/rag/documents")
        told = {one["documentId"]: one["hash"] for one in answer["documents"]}
        return told, lambda then: {id: digest(one) for id, one in then.documents().items()}

    def read_document(self, person: Person, dice: Random) -> Answer:
        id = dice.choice([*self._moments[0].documents])
        answer = self._told(person, "GET", f"/api/rag/documents/{id}")
        return answer.get(
            "text"
        ), lambda then: then.documents()[id].text if id in then.documents() else None

    def list_sources(self, person: Person, dice: Random) -> Answer:
        answer = self._told(person, "GET", "/api/rag/sources")
        told = {one["id"]: one["visibility"] for one in answer["sources"]}
        return told, lambda then: {one.id: one.visibility for one in then.sources()}

    def read_source(self, person: Person, dice: Random) -> Answer:
        id = dice.choice([*self._moments[0].sources])
        answer = self._told(person, "GET", f"/api/rag/sources/{id}")
        return answer.get(
            "visibility"
        ), lambda then: then.org.sources[id].visibility if then.knows(id) else None

    def _told(self, person: Person, method: str, path: str, **more: Any) -> dict[str, Any]:
        answer = self._call(person, method, path, **more)
        assert answer.status_code in (200, 404), answer.text
        body: dict[str, Any] = answer.json()
        return body

    def _call(self, person: Person, method: str, path: str, **more: Any) -> httpx.Response:
        claims = {"roles": [*person.roles], "teams": [*person.teams]}
        headers = self._server.token(person.sub, person.org.name, **claims)
        return self._server.http.request(method, path, headers=headers, **more)


ROUTES = (
    Course.search, Course.chat, Course.list_documents, Course.read_document, Course.list_sources,
    Course.read_source, Course.visit,
)  # fmt: skip


def texts(then: Person) -> list[str]:
    return sorted(one.text for one in then.documents().values())


def public_texts(then: Person) -> list[str]:
    public = {id for id, one in then.org.sources.items() if one.visibility == "public"}
    return [one.text for one in then.org.documents.values() if one.data_source in public]


def digest(document: Document) -> str:
    return sha256(document.text.encode()).hexdigest()


def test_every_answer_is_as_things_were_at_one_moment_of_it(
    start: Callable[..., Server], dice: Random
) -> None:
    # What is quoted is remembered; a parrot's answers never are.
    course = Course(start(**{**PARTS, "embedder": Slow(), "answerer": None}), dice)
    over = threading.Event()

    def ask(own: Random) -> int:
        asked = 0
        while not over.is_set():
            course.ask(own)
            asked += 1
        return asked

    with ThreadPoolExecutor(ASKERS) as pool:
        askers = [pool.submit(ask, Random(dice.random())) for _ in range(ASKERS)]
        try:
            for _ in range(BURSTS):
                course.change()
                time.sleep(PAUSE_SECONDS)
        finally:
            over.set()
        print(f"{sum(one.result() for one in askers)} questions meanwhile")
