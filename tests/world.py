"""Several orgs whose members do everything at random, beside a simple model of who sees what."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal
from uuid import UUID

import httpx

from rag.job import Failure
from rag.model import Change, Principal
from tests.conftest import Server
from tests.integration.waiting import until
from tests.worker import work

PATHS = [f"/{number}.md" for number in range(6)]
FACTS = ["Newts sleep in winter.", "Newts eat snails at night.", "A pond may hold forty newts."]
QUERIES = ["Where do newts sleep?", "What do newts eat?", "How many newts are in a pond?"]
KINDS = {
    "doc": "document", "conv": "conversation", "job": "job", "src": "data source", "site": "site"
}  # fmt: skip
INGEST = "/api/rag/ingest"
SEARCHES = ("/api/rag/search", "/api/rag/retrieve")
SITES, FEEDBACK = "/api/v1/sites", "/api/v1/feedback"
NO_SITE = "There is no such site."
NO_ANSWER = "There is no such answer, or none that this session may rate."


@dataclass
class Job:
    """A job: whose, for which data source, and how it stands."""

    sender: str | None
    source: str
    state: Literal["open", "cancelled", "done"]


@dataclass(frozen=True)
class File:
    """A file that waits to be referred to."""

    sender: str
    source: str
    text: str


@dataclass(frozen=True)
class Site:
    """A site: whose, and the data source that it shows."""

    owner: str
    source: str


@dataclass
class Answer:
    """What a visitor was answered, and whether its site's owners are told of it."""

    site: str
    session: str
    noted: bool


@dataclass(eq=False)
class Org:
    """An org and the texts that it holds, by document. Its mark is in all that it ever sends."""

    name: str
    mark: str
    texts: dict[str, str] = field(default_factory=dict)
    jobs: dict[str, Job] = field(default_factory=dict)
    files: dict[str, File] = field(default_factory=dict)
    sources: dict[str, tuple[str, str]] = field(default_factory=dict)  # owner and visibility
    sites: dict[str, Site] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)
    searches: int = 0


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
        return source in self.org.sources and (self.admin or self.owns(source))

    def may_write(self, source: str) -> bool:
        return source == "default" or self.may_change(source)

    def may_publish(self, source: str) -> bool:
        return self.admin if source == "default" else self.may_change(source)

    def manages(self, site: str) -> bool:
        """Whether there is such a site for this caller."""
        return site in self.org.sites and (self.admin or self.org.sites[site].owner == self.sub)

    def owns(self, source: str) -> bool:
        return source in self.org.sources and self.org.sources[source][0] == self.sub

    def may_query(self, source: str) -> bool:
        _, visibility = self.org.sources.get(source, ("", ""))
        return source == "default" or visibility == "public" or self.owns(source)

    def sees(self, one: Job | File | None) -> bool:
        """Whether there is such a job, or such a file, for this caller."""
        return one is not None and (one.sender == self.sub or self.may_query(one.source))

    def may_cancel(self, job: Job) -> bool:
        return self.admin or job.sender == self.sub or self.owns(job.source)


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
        self._files = ["upl_0"]
        self._dropped = 0
        self._conversations = ["conv_0"]
        self._sites = ["site_0"]
        self._answers = ["ans_0"]
        self._nobody = Org("nobody", "none")
        self.shown = 0  # sources, to visitors

    def ingest(self, member: Member) -> None:
        """One document at once, or another in a job."""
        fact, path = self._dice.choice(FACTS), self._dice.choice(PATHS)
        text = f"{fact} {member.org.mark}"
        self._dice.choice([self._ingest_one, self._ingest_many])(member, path, text)

    def _ingest_one(self, member: Member, path: str, text: str) -> None:
        answer = self._call(member, "POST", INGEST, json=described(path, text)).json()
        before = member.org.texts.get(answer["documentId"])
        unchanged = "unchanged" if before == text else "updated"
        assert answer["status"] == ("created" if before is None else unchanged)
        self._holds(member, answer["documentId"], text)

    def _ingest_many(self, member: Member, path: str, text: str) -> None:
        source = self._dice.choice(["default", self._dice.choice(self._sources)])
        upload = self._dice.choice([None, self._dice.choice(self._files)])
        document = {"text": text} if upload is None else {"uploadId": upload}
        body = {"dataSourceId": source, "documents": [{"id": path, **document}]}
        answer = self._call(member, "POST", INGEST, json=body)
        if not self._is_writable(answer, member, source):
            return
        if upload is not None:
            file = member.org.files.get(upload)
            if file is None or not member.sees(file):
                assert answer.status_code == 400
                assert answer.json()["details"] == {
                    "field": "documents.0.uploadId",
                    "message": "There is no such upload, or no file yet.",
                }
                return
            text = file.text
        assert answer.status_code == 202, answer.text
        self._begun(member, answer.json()["jobId"], source)
        self._come_to_an_end(member, answer.json()["jobId"], text)

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

    def list_jobs(self, member: Member) -> None:
        """Those of dropped files, too."""
        self._dropped += 1
        key = f"uploads/{member.org.name}/default/{member.org.mark}.txt"
        change = Change(key, 1_800_000_000.0 + self._dropped, "01")
        self._server.footnote.worker.following.give_up(change, Failure("NOT_FOUND", "None."))
        newest = next(self._server.footnote.jobs.latest(member.org.name))
        member.org.jobs[newest.id] = Job(None, "default", "done")
        self._jobs.append(newest.id)
        listed: set[str] = set()
        after: str | None = ""
        while after is not None:
            page = self._call(member, "GET", INGEST, params={"limit": 40, "after": after}).json()
            listed |= {job["jobId"] for job in page["jobs"]}
            after = page["next"]
        assert listed == {id for id, job in member.org.jobs.items() if member.sees(job)}

    def cancel(self, member: Member) -> None:
        id = self._dice.choice(self._jobs)
        answer = self._call(member, "DELETE", f"{INGEST}/{id}")
        job = member.org.jobs.get(id)
        if job is None or not member.sees(job):
            self._is_there(answer, id, False)
        elif not member.may_cancel(job):
            assert answer.status_code == 403
        elif job.state == "done":
            assert answer.status_code == 409
        else:
            assert answer.json()["failure"]["code"] == "CANCELLED"
            job.state = "cancelled"

    def upload(self, member: Member) -> None:
        """A file comes where it becomes a document of everybody's, or waits to be referred to."""
        source = self._dice.choice(["default", self._dice.choice(self._sources)])
        alone = self._dice.choice([True, False])
        body = {
            "dataSourceId": source, "filename": f"{member.org.mark}.txt", "size": 100,
            "mediaType": "text/plain", "ingest": alone,
        }  # fmt: skip
        answer = self._call(member, "POST", "/api/rag/uploads", json=body)
        if not self._is_writable(answer, member, source):
            return
        form = answer.json()
        assert (answer.status_code, "jobId" in form) == (201, alone)
        self._files.append(form["uploadId"])
        if alone:
            self._begun(member, form["jobId"], source)
        if source != "default" and alone:
            return  # it never comes
        text = f"{self._dice.choice(FACTS)} {member.org.mark}"
        files = {"file": text.encode()}
        assert self._http.post(form["url"], data=form["fields"], files=files).status_code == 204
        member.org.files[form["uploadId"]] = File(member.sub, source, text)
        if alone:
            self._come_to_an_end(member, form["jobId"], text)

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
        answer = self._call(member, "GET", f"{INGEST}/{id}")
        self._is_there(answer, id, member.sees(member.org.jobs.get(id)))

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

    def retrieve(self, member: Member) -> None:
        answer = self._call(member, "POST", "/api/rag/retrieve", json=self._question())
        self._check_found(member, answer.json())

    def query(self, member: Member) -> None:
        """The whole answer, or the last of its pieces; nobody sees more than it may."""
        body = {**self._question(), "stream": self._dice.random() < 0.5}
        answer = self._call(member, "POST", "/api/rag/query", json=body)
        last = answer.text.rstrip("\n").rpartition("\n")[2].removeprefix("data: ")
        self._check_found(member, json.loads(last))

    def usage(self, member: Member) -> None:
        """What an org has done is told to that org, just after it is done."""

        def searches() -> int:
            told = self._call(member, "GET", "/api/rag/usage").json()
            return sum(day["searches"] for day in told["days"])

        until(lambda: searches() >= member.org.searches)
        assert searches() == member.org.searches

    def _question(self) -> dict[str, Any]:
        explain = self._dice.random() < 0.3
        return {"query": self._dice.choice(QUERIES), "topK": 100, "explain": explain}

    def _check_found(self, member: Member, answer: dict[str, Any]) -> None:
        found = {one["id"]: one["text"] for one in answer["documents"]}
        assert found == member.org.texts
        assert answer["totalFound"] == len(answer["documents"]) == len(found)
        assert {*answer["dataSources"]} == {
            id for id in ("default", *member.org.sources) if member.may_query(id)
        }

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

    def make_site(self, member: Member) -> None:
        source = self._dice.choice(["default", self._dice.choice(self._sources)])
        body = {"name": member.org.mark, "origins": ["https://a.example"], "data_sources": [source]}
        answer = self._call(member, "POST", SITES, json=body)
        if not member.may_publish(source):
            if source == "default" or member.knows(source):
                assert answer.status_code == 403
            else:
                self._is_there(answer, source, False)
            return
        _, visibility = member.org.sources.get(source, ("", "public"))
        assert answer.status_code == (201 if visibility == "public" else 400), answer.text
        if visibility == "public":
            member.org.sites[answer.json()["id"]] = Site(member.sub, source)
            self._sites.append(answer.json()["id"])

    def list_sites(self, member: Member) -> None:
        listed = self._call(member, "GET", SITES).json()["sites"]
        assert {one["id"] for one in listed} == {*filter(member.manages, member.org.sites)}

    def delete_site(self, member: Member) -> None:
        id = self._dice.choice(self._sites)
        answer = self._call(member, "DELETE", f"{SITES}/{id}")
        if self._is_there(answer, id, member.manages(id)):
            del member.org.sites[id]

    def look(self, member: Member) -> None:
        """Anybody's, as the site's name is."""
        id = self._dice.choice(self._sites)
        visitor = self._visitor(id)
        answer = self._call(visitor, "GET", f"{SITES}/{id}/look")
        if self._is_there(answer, id, id in visitor.org.sites):
            assert answer.json() == {"id": id, "name": visitor.org.mark, "look": {}}

    def visit(self, member: Member) -> None:
        """Whoever asks on a site's pages is told of what that shows, and of nothing else."""
        site = self._dice.choice(self._sites)
        session = str(UUID(int=self._dice.getrandbits(128), version=4))
        visitor = self._visitor(site)
        body = {
            "message": f"{self._dice.choice(QUERIES)} {visitor.org.mark}",
            "context": {"mode": "browse", "session_id": session},
            "tier": "anonymous",
        }
        accept = self._dice.choice(["application/json", "text/event-stream"])
        answer = self._call(visitor, "POST", "/api/v1/chat", json=body, accept=accept)
        if site not in visitor.org.sites:
            return self._is_unknown(answer, NO_SITE)
        assert answer.status_code == 200, answer.text
        last = answer.text.rstrip("\n").rpartition("\n")[2].removeprefix("data: ")
        told = json.loads(last)
        shown = [one["excerpt"] for one in told["sources"]]
        assert not shown or visitor.org.sites[site].source == "default"
        assert all(visitor.org.mark in one for one in shown)
        self.shown += len(shown)
        visitor.org.answers[told["answer_id"]] = Answer(site, session, noted=not shown)
        self._answers.append(told["answer_id"])

    def rate(self, member: Member) -> None:
        """Whoever has seen all names of the others, yet was given no such answer."""
        id = self._dice.choice(self._answers)
        given = [org.answers[id] for org in self._orgs if id in org.answers]
        any_site = self._dice.choice(self._sites)
        sites = [one.site for one in given] * 3 or [any_site]
        site = self._dice.choice([*sites, any_site])
        sessions = [one.session for one in given] * 3
        session = self._dice.choice([*sessions, "550e8400-e29b-41d4-a716-446655440000"])
        visitor = self._visitor(site)
        body = {"answer_id": id, "session_id": session, "helpful": True, "comment": member.org.mark}
        if member.org is not visitor.org:
            del body["comment"]
        answer = self._call(visitor, "POST", FEEDBACK, json=body)
        mine = visitor.org.answers.get(id)
        if site not in visitor.org.sites:
            self._is_unknown(answer, NO_SITE)
        elif mine is None or (mine.site, mine.session) != (site, session):
            self._is_unknown(answer, NO_ANSWER)
        else:
            assert answer.json() == {"status": "received"}
            mine.noted = True

    def list_feedback(self, member: Member) -> None:
        listed: set[str] = set()
        after: str | None = ""
        while after is not None:
            page = self._call(member, "GET", FEEDBACK, params={"limit": 9, "after": after}).json()
            listed |= {one["answer_id"] for one in page["feedback"]}
            after = page["next"]
        assert listed == {
            id
            for id, one in member.org.answers.items()
            if one.noted and (member.admin or member.manages(one.site))
        }

    def _visitor(self, site: str) -> Member:
        """Whoever is on a site's pages, of which org ever, as often as it likes."""
        org = next((one for one in self._orgs if site in one.sites), self._nobody)
        token = self._server.token("visitor", "elsewhere", tier="premium")
        return Member(org, "visitor", {**token, "X-Site": site})

    def _is_unknown(self, answer: httpx.Response, message: str) -> None:
        assert answer.status_code == 404, answer.text
        error = {"code": "NOT_FOUND", "message": message, "details": None}
        assert answer.json() == {"error": error}

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
            ("GET", "/api/rag/ingest"): self.list_jobs,
            ("GET", "/api/rag/ingest/{jobId}"): self.job,
            ("DELETE", "/api/rag/ingest/{jobId}"): self.cancel,
            ("POST", "/api/rag/uploads"): self.upload,
            ("GET", "/api/rag/sources"): self.list_sources,
            ("POST", "/api/rag/sources"): self.make_source,
            ("GET", "/api/rag/sources/{sourceId}"): self.read_source,
            ("PATCH", "/api/rag/sources/{sourceId}"): self.rename_source,
            ("DELETE", "/api/rag/sources/{sourceId}"): self.delete_source,
            ("GET", "/api/rag/documents"): self.list,
            ("GET", "/api/rag/documents/{documentId}"): self.read,
            ("DELETE", "/api/rag/documents/{documentId}"): self.delete,
            ("GET", "/api/rag/usage"): self.usage,
            ("POST", "/api/rag/search"): self.search,
            ("POST", "/api/rag/retrieve"): self.retrieve,
            ("POST", "/api/rag/query"): self.query,
            ("POST", "/api/chat"): self.chat,
            ("POST", "/api/v1/chat"): self.visit,
            ("POST", "/api/v1/feedback"): self.rate,
            ("GET", "/api/v1/feedback"): self.list_feedback,
            ("POST", "/api/v1/sites"): self.make_site,
            ("GET", "/api/v1/sites"): self.list_sites,
            ("DELETE", "/api/v1/sites/{siteId}"): self.delete_site,
            ("GET", "/api/v1/sites/{siteId}/look"): self.look,
            ("POST", "/uploads"): self.send_form,
            ("GET", "/health"): self.open_to_all("/health"),
            ("GET", "/"): self.open_to_all("/"),
            ("GET", "/guide/{page}"): self.open_to_all("/guide/formats"),
            ("GET", "/site/{file}"): self.open_to_all("/site/site.css"),
            ("GET", "/console"): self.open_to_all("/console"),
            ("GET", "/console/{file}"): self.open_to_all("/console/main.js"),
            ("GET", "/widget.js"): self.open_to_all("/widget.js"),
            ("GET", "/docs"): self.open_to_all("/docs"),
            ("GET", "/docs/{file}"): self.open_to_all("/docs/swagger-ui.css"),
            ("GET", "/openapi.json"): self.open_to_all("/openapi.json"),
        }

    def _call(
        self, member: Member, method: str, path: str, *, accept: str = "*/*", **more: Any
    ) -> httpx.Response:
        headers = {**member.headers, "Accept": accept}
        answer = self._http.request(method, path, headers=headers, **more)
        member.org.searches += path in SEARCHES
        for org in self._orgs:
            assert org is member.org or org.mark not in answer.text
        return answer

    def _holds(self, member: Member, document: str, text: str) -> None:
        member.org.texts[document] = text
        self._documents.append(document)

    def _begun(self, member: Member, job: str, source: str) -> None:
        member.org.jobs[job] = Job(member.sub, source, "open")
        self._jobs.append(job)

    def _come_to_an_end(self, member: Member, id: str, text: str) -> None:
        """What is for everybody is ingested, and found from now on; the rest is cancelled."""
        job = member.org.jobs[id]
        if job.source != "default":
            assert self._call(member, "DELETE", f"{INGEST}/{id}").status_code == 200
            job.state = "cancelled"
        assert work(self._server.footnote) == []
        told = self._call(member, "GET", f"{INGEST}/{id}").json()
        if job.state == "open":
            assert told["status"] == "completed", told
            job.state = "done"
            self._holds(member, told["results"][0]["documentId"], text)

    def _is_writable(self, answer: httpx.Response, member: Member, source: str) -> bool:
        """Whether something could be sent there; if not, why not is told to those who know it."""
        if member.may_write(source):
            return True
        if member.knows(source):
            assert (answer.status_code, answer.json()["code"]) == (403, "PERMISSION_DENIED")
        else:
            self._is_there(answer, source, False)
        return False

    def _is_there(self, answer: httpx.Response, id: str, expected: bool) -> bool:
        """What another org has is answered like what nobody has."""
        if expected:
            assert answer.status_code == 200, answer.text
            return True
        kind = KINDS[id.partition("_")[0]]
        message = f"There is no {kind} {id}."
        if answer.url.path.startswith("/api/v1/"):
            self._is_unknown(answer, message)
            return False
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
