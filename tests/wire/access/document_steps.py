"""Steps about documents that are there."""

from __future__ import annotations

from typing import Any

from tests.wire.access.ledger import Document, Person
from tests.wire.access.scene import TAGS, Scene, sent

ALL, ONE = "/api/rag/documents", "/api/rag/documents/{id}"
# v3's documents have one that their sender gives; those of jobs and of dropped files have these.
SOURCES = ("pond", "documents", "uploads")


class DocumentSteps:
    """Documents are looked at and deleted; v3's are made."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._dice = scene.dice

    def make(self, person: Person) -> None:
        """v3's documents live in the default source, which any member may write."""
        document = self._scene.written("default")
        document.source = "pond"
        body = {**sent(document), "source": document.source, "path": document.path}
        answer = self._scene.call(person, "POST", "/api/rag/ingest", json=body, makes=True)
        assert answer.json()["status"] == "created"
        document.id = answer.json()["documentId"]
        self._scene.look_at(self._scene.found(person.org, document))

    def replace(self, person: Person) -> None:
        """Into any source of the org, in the name of whoever may."""
        for document in self._scene.put(self._dice.choice([*person.org.sources]), person.org):
            self._scene.look_at(document)

    def list(self, person: Person) -> None:
        source, tags = self._dice.choice([None, *SOURCES]), self._scene.some(TAGS, at_most=1)
        filters = {"source": source, "tag": next(iter(tags), None)}
        wanted = {key: value for key, value in filters.items() if value is not None}
        passing = {id: one for id, one in person.documents().items() if one.passes(source, tags)}
        after = self._scene.pick("doc", [""])
        expected = [passing[id] for id in sorted(passing) if id > after]
        limit = self._dice.choice([1, 5, 100])
        while True:
            query = {**wanted, "limit": str(limit), "after": after}
            page = self._scene.call(person, "GET", ALL, params=query).json()
            assert [_told(one) for one in page["documents"]] == [
                _described(one) for one in expected[:limit]
            ]
            after = page["next"]
            assert after == (expected[limit - 1].id if len(expected) > limit else None)
            expected = expected[limit:]
            if after is None:
                return

    def read(self, person: Person) -> None:
        id = self._scene.pick("doc", [*person.org.documents])
        document = person.documents().get(id)
        if document is None:
            return self._scene.absent(person, "GET", ONE, id)
        answer = self._scene.call(person, "GET", ONE.replace("{id}", id)).json()
        assert _told(answer) == _described(document)
        assert answer["text"] == document.text

    def delete(self, person: Person) -> None:
        """Whoever may query a document may not always delete it."""
        id = self._scene.pick("doc", [*person.org.documents])
        document = person.documents().get(id)
        if document is None:
            return self._scene.absent(person, "DELETE", ONE, id)
        answer = self._scene.call(person, "DELETE", ONE.replace("{id}", id))
        if person.may_write(document.data_source):
            assert answer.json() == {"status": "deleted", "documentId": id}
            del person.org.documents[id]
        else:
            assert answer.status_code == 403
            assert answer.json()["code"] == "PERMISSION_DENIED"
        self._scene.look_at(document)


def _described(document: Document) -> dict[str, Any]:
    return {
        "documentId": document.id, "source": document.source, "path": document.path,
        "tags": [*document.tags],
    }  # fmt: skip


def _told(document: dict[str, Any]) -> dict[str, Any]:
    return {name: document[name] for name in ("documentId", "source", "path", "tags")}
