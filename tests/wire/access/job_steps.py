"""Steps about documents that are on their way."""

from __future__ import annotations

import time
from typing import Any

from rag.ingest.notices import notice
from rag.model import Change
from tests.wire.access.ledger import Document, Job, Person, Upload
from tests.wire.access.scene import FACTS, Scene, sent

ALL, ONE, UPLOADS = "/api/rag/ingest", "/api/rag/ingest/{id}", "/api/rag/uploads"
STATUS = {"queued": "queued", "completed": "completed", "failed": "failed", "cancelled": "failed"}


class JobSteps:
    """Documents are sent, uploaded and dropped; jobs are looked at and cancelled. They wait until
    somebody lets the worker work: a source may be gone by then, or open to others."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._dice = scene.dice

    def work(self, person: Person) -> None:
        self._scene.work()

    def send(self, person: Person) -> None:
        """Documents for any source, new ones and others in the place of what is there."""
        source = self._scene.pick("src", [*person.org.sources])
        waiting = {
            one.path
            for job in person.org.jobs.values()
            if job.state == "queued"
            for one in job.documents
        }
        there = [
            one
            for one in person.org.within(source)
            if one.source == "documents" and one.path not in waiting
        ]
        documents = [self._scene.written(source)]
        documents += [self._scene.written(source, one) for one in there[:1]]
        if person.may_write(source):
            self._scene.send(person, source, *documents)
        else:
            body = {"dataSourceId": "{id}", "documents": [sent(one) for one in documents]}
            self._refused(person, ALL, source, body)

    def refer(self, person: Person) -> None:
        """A document whose content is a file that was uploaded before, by anyone."""
        id = self._scene.pick("upl", [*person.org.uploads])
        upload = person.org.uploads.get(id)
        path_mark, mark = self._scene.mark(), upload.mark if upload else ""
        sent = {"id": f"{path_mark}.md", "title": f"Newts {mark}", "uploadId": "{id}"}
        body = {"dataSourceId": "default", "documents": [sent]}
        if upload is None or not person.may_refer_to(id):
            return self._scene.absent(person, "POST", ALL, id, status=400, json=body)
        body["documents"] = [{**sent, "uploadId": id}]
        answer = self._scene.call(person, "POST", ALL, json=body, makes=True)
        assert answer.status_code == 202
        document = Document("default", "documents", sent["id"], path_mark, mark, upload.text)
        self._scene.noted(person, Job(answer.json()["jobId"], "default", person.sub, [document]))

    def upload(self, person: Person) -> None:
        """A file for any source, which becomes a document by itself, or waits."""
        source = self._scene.pick("src", [*person.org.sources])
        mark, by_itself = self._scene.mark(), self._dice.random() < 0.5
        text = f"{self._dice.choice(FACTS)} {mark}"
        file = {"filename": f"{mark}.txt", "mediaType": "text/plain", "size": len(text)}
        body = {"dataSourceId": source, **file, "ingest": by_itself}
        if not person.may_write(source):
            return self._refused(person, UPLOADS, source, {**body, "dataSourceId": "{id}"})
        form = self._scene.call(person, "POST", UPLOADS, json=body, makes=True).json()
        files = {"file": ("any", text.encode())}
        taken = self._scene.server.http.post(form["url"], data=form["fields"], files=files)
        assert taken.status_code == 204, taken.text
        id = self._scene.given(form["uploadId"])
        person.org.uploads[id] = Upload(source, person.sub, text, mark)
        if by_itself:
            document = Document(source, "documents", f"{mark}.txt", mark, mark, text)
            self._scene.noted(person, Job(form["jobId"], source, person.sub, [document]))

    def drop(self, person: Person) -> None:
        """A file into the folder of any source, also of one that is not there, or no more."""
        source = self._scene.pick("src", [*person.org.sources])
        footnote, org, mark = self._scene.server.footnote, person.org, self._scene.mark()
        text = f"{self._dice.choice(FACTS)} {mark}"
        key = f"uploads/{org.name}/{source}/{mark}.txt"
        footnote.parts.objects.put(key, text.encode())
        footnote.parts.queue.send(notice(Change(key, time.time(), "")), group=org.name)
        self._scene.work()
        [id] = [one.id for one in footnote.jobs.latest(org.name) if one.name == f"{mark}.txt"]
        document = Document(source, "uploads", f"/{mark}.txt", mark, mark, text)
        is_there = source in org.sources
        job = Job(id, source if is_there else None, None, [document])
        org.jobs[self._scene.given(id)] = job
        self._scene.work()

    def list(self, person: Person) -> None:
        after = self._scene.pick("job", [""])
        watched = person.jobs()
        expected = [watched[id] for id in sorted(watched, reverse=True) if not after or id < after]
        limit = self._dice.choice([5, 20, 100] if len(expected) < 50 else [20, 100])
        while True:
            query = {"limit": str(limit), "after": after}
            page = self._scene.call(person, "GET", ALL, params=query).json()
            assert [_told(one) for one in page["jobs"]] == [
                _described(one) for one in expected[:limit]
            ]
            after = page["next"]
            assert after == (expected[limit - 1].id if len(expected) > limit else None)
            expected = expected[limit:]
            if after is None:
                return

    def read(self, person: Person) -> None:
        id = self._scene.pick("job", [*person.org.jobs])
        job = person.jobs().get(id)
        if job is None:
            return self._scene.absent(person, "GET", ONE, id)
        answer = self._scene.call(person, "GET", ONE.replace("{id}", id)).json()
        assert _told(answer) == _described(job)
        done = job.state == "completed"
        ids = [one["documentId"] for one in answer["results"]]
        assert ids == [one.id if done else None for one in job.documents]

    def cancel(self, person: Person) -> None:
        queued = [id for id, one in person.org.jobs.items() if one.state == "queued"]
        id = self._scene.pick("job", queued or [*person.org.jobs])
        job = person.jobs().get(id)
        if job is None:
            return self._scene.absent(person, "DELETE", ONE, id)
        answer = self._scene.call(person, "DELETE", ONE.replace("{id}", id))
        if not person.may_cancel(job):
            assert answer.status_code == 403
            assert answer.json()["code"] == "PERMISSION_DENIED"
        elif job.state in ("completed", "failed"):
            assert answer.status_code == 409
        else:
            job.state = "cancelled"
            assert _told(answer.json()) == _described(job)

    def _refused(self, person: Person, path: str, source: str, body: dict[str, Any]) -> None:
        """Who may query a source is told that it may not write to it; others, nothing."""
        if not person.knows(source):
            return self._scene.absent(person, "POST", path, source, json=body)
        answer = self._scene.call(person, "POST", path, json={**body, "dataSourceId": source})
        assert (answer.status_code, answer.json()["code"]) == (403, "PERMISSION_DENIED")


def _described(job: Job) -> tuple[str, str | None, str]:
    return job.id, job.data_source, STATUS[job.state]


def _told(job: dict[str, Any]) -> tuple[str, str | None, str]:
    return job["jobId"], job["dataSourceId"], job["status"]
