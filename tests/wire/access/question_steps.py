"""Steps that ask questions."""

from __future__ import annotations

import re
from typing import Any

from rag.model import DEFAULT_SOURCE, Principal
from rag.query.retrieve import DEPTH
from rag.wire.v3.library import RagStore, SearchOptions
from tests.wire.access.document_steps import SOURCES
from tests.wire.access.ledger import Document, Person
from tests.wire.access.scene import NAME, TAGS, Scene

QUERIES = ("Where do newts sleep?", "What do newts eat?", "How many newts are in a pond?")
SEARCH, CHAT = "/api/rag/search", "/api/chat"
RETRIEVE, QUERY = "/api/rag/retrieve", "/api/rag/query"
# Beside how long it took, only admins are told something of what they may not see: how much it is.
TOLD_TO_ADMINS = re.compile(rb'"milliseconds": ?\{[^}]*\}|"hiddenDocuments": ?\d+,?')


class QuestionSteps:
    """People search and chat: with or without filters, for a mark or in general."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._dice = scene.dice

    def search(self, person: Person) -> None:
        """Others ask the same, and get another answer: what is remembered is not everybody's."""
        body, _ = self._question(person, "query", "topK", "filters")
        colleagues = [one for one in self._scene.people if one.org is person.org]
        for one in self._dice.sample(colleagues, 2):
            self._search(one, body)

    def _search(self, person: Person, body: dict[str, Any]) -> None:
        """All that the caller may see, as far as there is room; what it must not takes none."""
        filters = body.get("filters") or {"source": None, "tags": []}
        visible = person.documents().items()
        passing = {id: one for id, one in visible if one.passes(**filters)}
        answer = self._scene.call(person, "POST", SEARCH, json=body).json()
        found = {one["metadata"]["documentId"]: one["text"] for one in answer["results"]}
        assert found.items() <= {id: one.text for id, one in passing.items()}.items()
        assert len(found) == min(body["topK"], len(passing))
        assert answer["resultCount"] == len(answer["results"]) == len(found)
        named = {id for id, one in passing.items() if one.mark == body["query"]}
        assert {*[*found][: len(named)]} <= named

    def library(self, person: Person) -> None:
        """The same from Python."""
        body, _ = self._question(person, "query", "topK", "filters")
        answer = self._scene.call(person, "POST", SEARCH, json=body)
        caller = Principal(person.sub, person.org.name, roles=person.roles, teams=person.teams)
        store, query = RagStore(self._scene.server.footnote, caller), body.pop("query")
        options = SearchOptions(**body)  # type: ignore[typeddict-item]
        assert store.search_similar_chunks(query, options) == answer.json()["results"]

    def retrieve(self, person: Person) -> None:
        """Wherever the caller may look, or in one source, which may not be there for it."""
        self._retrieved(person, RETRIEVE)

    def query(self, person: Person) -> None:
        """The same with an answer, which is the parrot's."""
        self._retrieved(person, QUERY)

    def _retrieved(self, person: Person, path: str) -> None:
        body = {"query": self._dice.choice(QUERIES), "topK": 100}
        answer = self._scene.call(person, "POST", path, json=body).json()
        found = {one["id"]: one["text"] for one in answer["documents"]}
        visible = {id: one.text for id, one in person.documents().items()}
        assert found.items() <= visible.items()
        # By chance there may be more than can be returned, or than a search looks at.
        assert len(found) == min(100, len(visible))
        assert min(DEPTH, len(visible)) <= answer["totalFound"] <= len(visible)
        hidden = [
            id
            for org in self._scene.orgs
            for id in org.sources
            # The default one has the same name in every org.
            if id != DEFAULT_SOURCE and (org is not person.org or not person.may_query(id))
        ]
        if hidden:
            id = self._dice.choice(hidden)
            body["dataSources"] = ["{id}"]
            self._scene.absent(person, "POST", path, id, json=body)

    def chat(self, person: Person) -> None:
        """The language model is a parrot: what leaks into its prompt is seen."""
        body, passing = self._question(person, "message", "ragTopK", "ragFilters")
        body["useRag"] = self._dice.random() < 0.8
        if self._dice.random() < 0.5:
            body["conversationId"] = self._scene.pick("conv", [*person.conversations])
        id = body.get("conversationId")
        if id and id not in person.conversations:
            body["conversationId"] = "{id}"
            return self._scene.absent(person, "POST", CHAT, id, json=body)
        answer = self._scene.call(person, "POST", CHAT, json=body, makes=True)
        found = [one["text"] for one in answer.json()["ragSources"]]
        assert {*found} <= {one.text for one in passing.values()}
        assert len(found) == (min(body["ragTopK"], len(passing)) if body["useRag"] else 0)
        id = answer.json()["data"]["conversationId"]
        if id not in person.conversations:
            person.conversations[self._scene.given(id)] = set()
        person.conversations[id].update(NAME.findall(f"{answer.text} {body}"))

    def ask_while_hidden_things_change(self, person: Person) -> None:
        """Whatever happens to what a person may not query changes no byte of any answer."""
        self._scene.work()
        query = self._dice.choice(QUERIES)
        before = self._asked(person, query)
        places = [(id, org) for org in self._scene.orgs for id in org.sources]
        hidden = [one for one in places if one[1] is not person.org or not person.may_query(one[0])]
        for source, org in self._dice.sample(hidden, min(2, len(hidden))):
            self._scene.put(source, org, but=person)
        assert self._asked(person, query) == before

    def _asked(self, person: Person, query: str) -> list[bytes]:
        asked: list[tuple[str, str, dict[str, Any]]] = [
            ("POST", SEARCH, {"json": {"query": query, "topK": 20}}),
            ("POST", RETRIEVE, {"json": {"query": query, "topK": 100, "explain": True}}),
            ("POST", QUERY, {"json": {"query": query, "explain": True}}),
            ("POST", QUERY, {"json": {"query": query, "stream": True}}),
            ("GET", "/api/rag/documents", {}),
            ("GET", "/api/rag/ingest", {}),
        ]
        answers = [self._scene.call(person, *one, **more).content for *one, more in asked]
        return [TOLD_TO_ADMINS.sub(b"", one) for one in answers]

    def _question(
        self, person: Person, query: str, top_k: str, filters: str
    ) -> tuple[dict[str, Any], dict[str, Document]]:
        """A question, and what may be found."""
        documents = [one for org in self._scene.orgs for one in org.documents.values()]
        marks = [self._dice.choice(documents).mark] if documents else []
        source, tags = self._dice.choice([None, None, *SOURCES]), self._scene.some(TAGS)
        body: dict[str, Any] = {
            query: self._dice.choice([*QUERIES, *marks * len(QUERIES)]),
            top_k: self._dice.choice([1, 2, 5, 20]),
            filters: {"source": source, "tags": sorted(tags)},
        }
        if source is None and not tags:
            del body[filters]
        visible = person.documents().items()
        return body, {id: one for id, one in visible if one.passes(source, tags)}
