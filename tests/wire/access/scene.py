"""A server, people of two orgs, and a look at every answer: does it tell what it must not?"""

from __future__ import annotations

import json
import re
import threading
from collections import deque
from collections.abc import Sequence
from random import Random
from typing import Any

import httpx

from infra.local.worker import work_on_one
from rag.query.lexical import LexicalReranker
from tests.conftest import Server
from tests.ordeal import Parrot
from tests.wire.access.ledger import NAMES, Document, Job, Org, Person, Visitor
from tests.wire.access.signs import Signs

# Whatever is made here has a name of one of these shapes.
NAME = re.compile(r"(?:src|doc|job|conv|upl|site|ans|cit)_[0-9A-Za-z]+|mark\d+")
FACTS = ("Newts sleep in winter.", "Newts eat snails at night.", "A pond may hold forty newts.")
TAGS = ("wet", "dry", "cold")
# What counts for an org.
ASKED = {
    "/api/rag/search": "searches", "/api/rag/retrieve": "searches", "/api/rag/query": "questions",
    "/api/chat": "questions", "/api/v1/chat": "questions",
}  # fmt: skip
# These differ between any two answers.
VOLATILE = {"x-request-id", "date", "x-ratelimit-remaining"}
# What makes a server quick, and its language model say all that it is told.
PARTS: dict[str, Any] = {
    "embedder": Signs(), "reranker": LexicalReranker(), "answerer": Parrot()
}  # fmt: skip


class Scene:
    """What people do goes through `call`, which looks for names that the caller may not know."""

    def __init__(self, server: Server, dice: Random) -> None:
        self.server = server
        self.dice = dice
        self.orgs = [Org("acme"), Org("zeta")]
        # Everyone has a namesake in the other org.
        self.people = [Person(org, sub) for org in self.orgs for sub in NAMES]
        for person in self.people:
            self.move(person)
        kinds = ("src", "doc", "job", "conv", "upl", "site", "ans")
        self.ids: dict[str, list[str]] = {kind: [] for kind in kinds}
        self.issued: set[str] = set()
        self.journal: deque[str] = deque(maxlen=30)
        self.requests = 0

    # What is asked, and what is told

    def call(
        self,
        person: Person,
        method: str,
        path: str,
        *,
        makes: bool = False,
        site: str = "",
        **more: Any,
    ) -> httpx.Response:
        """The answer, which tells the person only of what there is for it. Names that nobody
        has seen before are told only where something is made."""
        headers = self.server.token(
            person.sub, person.org.name, roles=[*person.roles], teams=[*person.teams]
        )
        headers |= {"X-Site": site} if site else {}
        answer = self.server.http.request(method, path, headers=headers, **more)
        self.requests += 1
        self._count(person, path, answer, more)
        self.journal.append(f"{person}: {method} {path} {more or ''} -> {answer.status_code}")
        assert answer.status_code < 500, answer.text
        asked = NAME.findall(f"{path} {site} {more}")
        told = {*NAME.findall(f"{answer.headers} {answer.text}")}.difference(asked)
        if makes:
            told &= self.issued
        told -= person.conversations.get(more.get("json", {}).get("conversationId"), set())
        told -= person.may_be_told()
        assert not told, f"{person} is told of {told}"
        return answer

    def _count(
        self, person: Person, path: str, answer: httpx.Response, more: dict[str, Any]
    ) -> None:
        """What is asked on a site's pages is its org's, whoever asks."""
        org = person.home if isinstance(person, Visitor) else person.org
        kind = ASKED.get(path)
        refused = "chat" in path and answer.status_code != 200
        if kind and org and not refused and more["json"].get("useRag", True):
            org.used[kind] += 1

    def absent(
        self, person: Person, method: str, path: str, id: str, *, status: int = 404, **more: Any
    ) -> None:
        """Whoever asks for something that it may not know learns no more than of nothing."""
        seen = []
        for one in (id, self.nobodys(id)):
            asked = json.loads(json.dumps([path, more]).replace("{id}", one))
            answer = self.call(person, method, asked[0], **asked[1])
            headers = sorted((k, v) for k, v in answer.headers.items() if k not in VOLATILE)
            seen.append((answer.status_code, answer.text.replace(one, "{id}"), headers))
        assert seen[0] == seen[1]
        assert seen[0][0] == status

    def look_at(self, document: Document) -> None:
        """What has just become of a document counts from the next request on, for anyone."""
        person = self.dice.choice(self.people)
        body = {"query": document.mark, "topK": 1}
        results = self.call(person, "POST", "/api/rag/search", json=body).json()["results"]
        found = [one["metadata"]["documentId"] for one in results]
        visible = person.documents()
        named = {id for id, one in visible.items() if one.mark == document.mark}
        assert len(found) == min(1, len(visible))
        assert {*found} <= (named or {*visible})

    # What happens

    def move(self, person: Person) -> None:
        """Other roles and other teams, and from now on a token that says so."""
        person.roles = self.some(NAMES[:3], at_most=2)
        person.teams = self.some(NAMES[:3], at_most=2)

    def send(self, person: Person, source: str, *documents: Document) -> Job:
        """Send documents to a source, for a worker to ingest."""
        body = {"dataSourceId": source, "documents": [sent(one) for one in documents]}
        answer = self.call(person, "POST", "/api/rag/ingest", json=body, makes=True)
        assert (answer.status_code, answer.json()["status"]) == (202, "queued"), answer.text
        return self.noted(person, Job(answer.json()["jobId"], source, person.sub, [*documents]))

    def put(self, source: str, org: Org, but: Person | None = None) -> list[Document]:
        """Put a document into a source, or one in the place of another, in the name of someone
        who may: those that are found no more or from now on."""
        writers = [one for one in self.people if one.org is org and one.may_write(source)]
        there = [one for one in org.within(source) if one.source == "documents"]
        replaced = self.dice.choice(there) if len(there) > self.dice.randint(0, 4) else None
        document = self.written(source, replaced)
        self.send(self.dice.choice([one for one in writers if one is not but]), source, document)
        self.work()
        return [document, replaced] if replaced else [document]

    def work(self) -> None:
        """Have a worker do all that waits."""
        queue, worker = self.server.footnote.parts.queue, self.server.footnote.worker
        while work_on_one(queue, worker, threading.Event()):
            pass
        for org in self.orgs:
            for job in [one for one in org.jobs.values() if one.state == "queued"]:
                self._done(org, job)

    def _done(self, org: Org, job: Job) -> None:
        if job.data_source not in org.sources:
            job.state = "failed"
            return
        job.state = "completed"
        watcher = next(one for one in self.people if one.org is org and one.may_watch(job))
        told = self.call(watcher, "GET", f"/api/rag/ingest/{job.id}", makes=True).json()
        for document, result in zip(job.documents, told["results"], strict=True):
            document.id = result["documentId"]
            self.found(org, document)

    def found(self, org: Org, document: Document) -> Document:
        """From now on it is."""
        org.documents[self.given(document.id)] = document
        return document

    def noted(self, person: Person, job: Job) -> Job:
        person.org.jobs[self.given(job.id)] = job
        return job

    def given(self, id: str) -> str:
        """An id that the server has given to something."""
        self.ids[id.partition("_")[0]].append(id)
        self.issued.add(id)
        return id

    # What chance decides

    def written(self, source: str, replaced: Document | None = None) -> Document:
        """A document for a source, or another version of one."""
        mark = self.mark()
        path_mark = replaced.path_mark if replaced else self.mark()
        text = f"{self.dice.choice(FACTS)} {mark}"
        tags = tuple(sorted(self.some(TAGS)))
        path, id = (replaced.path, replaced.id) if replaced else (f"{path_mark}.md", "")
        return Document(source, "documents", path, path_mark, mark, text, tags, id)

    def mark(self) -> str:
        """A word that is nowhere else."""
        mark = f"mark{self.dice.randrange(10**12):012d}"
        self.issued.add(mark)
        return mark

    def some(self, names: Sequence[str], at_most: int = 2) -> frozenset[str]:
        return frozenset(self.dice.sample(names, self.dice.randint(0, at_most)))

    def pick(self, kind: str, known: Sequence[str]) -> str:
        """An id that was ever given, to anyone; but mostly one of those."""
        if known and self.dice.random() < 0.7:
            return self.dice.choice(known)
        return self.dice.choice(self.ids[kind] or [self.nobodys(f"{kind}_{'0' * 26}")])

    def nobodys(self, id: str) -> str:
        """An id of the same shape that was never given."""
        kind, _, name = id.partition("_")
        letters = "0123456789abcdef" if kind == "doc" else "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
        return f"{kind}_{''.join(self.dice.choices(letters, k=len(name)))}"


def sent(document: Document) -> dict[str, Any]:
    """A document as it is sent."""
    return {
        "id": document.path, "title": f"Newts {document.mark}", "text": document.text,
        "tags": [*document.tags], "metadata": {"of": document.mark},
    }  # fmt: skip
