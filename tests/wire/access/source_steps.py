"""Steps about data sources."""

from __future__ import annotations

from typing import Any

import httpx

from tests.wire.access.ledger import NAMES, VISIBILITIES, Person, Source
from tests.wire.access.scene import Scene

ALL, ONE = "/api/rag/sources", "/api/rag/sources/{id}"
MOST_SOURCES = 12


class SourceSteps:
    """Sources are made, changed, deleted and looked at."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._dice = scene.dice

    def make(self, person: Person) -> None:
        if len(person.org.sources) > MOST_SOURCES:
            return self.delete(person)
        source = Source("", self._scene.mark(), person.sub, "")
        body = {"name": source.name, **self._access(VISIBILITIES)}
        answer = self._scene.call(person, "POST", ALL, json=body, makes=True)
        if not source.change(body):
            assert answer.status_code == 400
            return
        assert answer.status_code == 201
        source.id = self._scene.given(answer.json()["id"])
        person.org.sources[source.id] = source
        assert _told(answer.json()) == source.described(0)
        for document in self._scene.put(source.id, person.org):
            self._scene.look_at(document)

    def list(self, person: Person) -> None:
        told = self._scene.call(person, "GET", ALL).json()["sources"]
        expected = {one.id: _described(person, one.id) for one in person.sources()}
        assert {one["id"]: _told(one) for one in told} == expected
        assert len(told) == len(expected)

    def read(self, person: Person) -> None:
        id = self._any(person)
        if not person.knows(id):
            return self._scene.absent(person, "GET", ONE, id)
        answer = self._scene.call(person, "GET", ONE.replace("{id}", id))
        assert _told(answer.json()) == _described(person, id)

    def change(self, person: Person) -> None:
        id = self._any(person)
        body = self._access((*VISIBILITIES, None, "secret"))
        if self._dice.random() < 0.3:
            body["name"] = f"Files {self._scene.mark()}"
        answer = self._changed(person, "PATCH", id, json=body)
        if answer is None:
            return
        if not person.org.sources[id].change(body):
            assert answer.status_code == 400
            return
        assert _told(answer.json()) == _described(person, id)
        for document in person.org.within(id)[:2]:
            self._scene.look_at(document)

    def delete(self, person: Person) -> None:
        id = self._any(person)
        answer = self._changed(person, "DELETE", id)
        if answer is None:
            return
        assert answer.json() == {"status": "deleted", "id": id}
        hidden = person.org.within(id)
        del person.org.sources[id]
        for document in hidden:
            del person.org.documents[document.id]
        for document in hidden[:2]:
            self._scene.look_at(document)

    def _changed(self, person: Person, method: str, id: str, **more: Any) -> httpx.Response | None:
        """The answer to who may change it; others are told that they may not, or nothing."""
        wrong = more.get("json", {}).get("visibility") == "secret"
        if not person.knows(id):
            status = 400 if wrong else 404
            self._scene.absent(person, method, ONE, id, status=status, **more)
            return None
        answer = self._scene.call(person, method, ONE.replace("{id}", id), **more)
        if wrong:
            assert answer.status_code == 400
            return None
        if not person.may_change(id):
            assert answer.status_code == 403
            assert answer.json()["code"] == "PERMISSION_DENIED"
            return None
        return answer

    def _any(self, person: Person) -> str:
        return self._scene.pick("src", [*person.org.sources])

    def _access(self, visibilities: tuple[str | None, ...]) -> dict[str, Any]:
        """Whom to open a source to. Some lists are of no use to the visibility beside them."""
        body: dict[str, Any] = {"visibility": self._dice.choice(visibilities)}
        for field in ("roles", "teams", "users"):
            if self._dice.random() < 0.6:
                body[field] = sorted(self._scene.some(NAMES))
        return {key: value for key, value in body.items() if value is not None}


def _described(person: Person, id: str) -> dict[str, Any]:
    return person.org.sources[id].described(len(person.org.within(id)))


def _told(source: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in source.items() if key != "createdAt"}
