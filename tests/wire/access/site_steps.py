"""Steps about sites, their visitors, and what these think."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

import httpx

from tests.wire.access.ledger import Answer, Org, Person, Site, Visitor
from tests.wire.access.question_steps import QUERIES
from tests.wire.access.scene import FACTS, NAME, Scene

ALL, ONE, LOOK = "/api/v1/sites", "/api/v1/sites/{id}", "/api/v1/sites/{id}/look"
CHAT, FEEDBACK = "/api/v1/chat", "/api/v1/feedback"
MOST_SITES = 8
ORIGIN = "https://docs.example"
NOTHING = "The documents do not say."
# These differ between any two answers.
VOLATILE = re.compile(r'"\w+_time_ms": ?\d+|"answer_id": ?"\w+"')


class SiteSteps:
    """Sites are made, deleted and visited; answers are rated, and owners read what was said."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._dice = scene.dice
        self.shown = 0  # sources

    def make(self, person: Person) -> None:
        if len(person.org.sites) > MOST_SITES:
            return self.delete(person)
        own = [id for id in person.org.sources if self._is_publishable(person, id)]
        if own and self._dice.random() < 0.7:
            sources = self._dice.sample(own, self._dice.randint(1, len(own)))
        else:
            sources = [self._scene.pick("src", [*person.org.sources])]
        site = Site("", self._scene.mark(), person.sub, sources)
        body = {"name": site.name, "origins": [ORIGIN], "data_sources": sources}
        refused = next((id for id in sources if not self._is_publishable(person, id)), None)
        if refused is not None and not person.knows(refused):
            body["data_sources"] = ["{id}" if id == refused else id for id in sources]
            return self._scene.absent(person, "POST", ALL, refused, json=body)
        answer = self._scene.call(person, "POST", ALL, json=body, makes=True)
        if refused is not None:
            assert answer.status_code == (400 if person.may_publish(refused) else 403)
            return
        assert answer.status_code == 201, answer.text
        site.id = self._scene.given(answer.json()["id"])
        person.org.sites[site.id] = site
        assert _told(answer.json()) == _described(site)

    def list(self, person: Person) -> None:
        told = self._scene.call(person, "GET", ALL).json()["sites"]
        managed = [one for id, one in person.org.sites.items() if person.manages(id)]
        assert [_told(one) for one in told] == [_described(one) for one in managed]

    def delete(self, person: Person) -> None:
        id = self._any(person.org)
        if not person.manages(id):
            return self._scene.absent(person, "DELETE", ONE, id)
        answer = self._scene.call(person, "DELETE", ONE.replace("{id}", id))
        assert answer.json() == {"id": id}
        del person.org.sites[id]

    def look(self, person: Person) -> None:
        """Anybody's, as the site's name is."""
        id = self._any(person.org)
        visitor = self._visitor(person, id)
        if visitor.site is None:
            return self._scene.absent(visitor, "GET", LOOK, id)
        answer = self._scene.call(visitor, "GET", LOOK.replace("{id}", id)).json()
        assert answer == {"id": id, "name": visitor.site.name, "look": {}}

    def visit(self, person: Person) -> None:
        """The language model is a parrot: what leaks into its prompt is seen."""
        id = self._any(person.org)
        visitor = self._visitor(person, id)
        body = self._question(visitor)
        if visitor.home is None or visitor.site is None:
            answer = self._scene.call(visitor, "POST", CHAT, json=body, site=id)
            assert answer.status_code == 404
            return
        told = self._asked(visitor, body).json()
        visible = {one.path_mark: one for one in visitor.shown()}
        if not visible:  # it says so, and what it was asked for
            assert (told["sources"], told["answer"].startswith(NOTHING)) == ([], True)
        for source in told["sources"]:
            document = visible[NAME.findall(source["url"])[0]]
            assert source["excerpt"].strip("…") in document.text
            # It is the same as long as the content is.
            assert document.citation in ("", source["id"])
            document.citation = source["id"]
            self._scene.issued.add(source["id"])
        self.shown += len(told["sources"])

    def visit_while_hidden_things_change(self, person: Person) -> None:
        """Whatever happens to what a site does not show changes no byte of any answer."""
        self._scene.work()
        visitor = self._visitor(person, self._any(person.org))
        if visitor.home is None or visitor.site is None:
            return
        body = self._question(visitor)
        before = VOLATILE.sub("", self._asked(visitor, body).text)
        open_to_it = [
            id for id in visitor.site.sources
            if id in visitor.home.sources and visitor.home.sources[id].visibility == "public"
        ]  # fmt: skip
        places = [(id, org) for org in self._scene.orgs for id in org.sources]
        hidden = [one for one in places if one[1] is not visitor.home or one[0] not in open_to_it]
        for source, org in self._dice.sample(hidden, min(2, len(hidden))):
            self._scene.put(source, org)
        assert VOLATILE.sub("", self._asked(visitor, body).text) == before

    def _asked(self, visitor: Visitor, body: dict[str, Any]) -> httpx.Response:
        assert visitor.home is not None
        assert visitor.site is not None
        id = visitor.site.id
        answer = self._scene.call(visitor, "POST", CHAT, json=body, site=id, makes=True)
        told, session = answer.json(), body["context"]["session_id"]
        names = {*NAME.findall(f"{told['sources']} {body}")}
        given = self._scene.given(told["answer_id"])
        visitor.home.answers[given] = Answer(given, id, session, names, noted=not told["sources"])
        return answer

    def rate(self, person: Person) -> None:
        """Who was not given an answer, on that site's pages, may not rate it."""
        everything = {id: one for org in self._scene.orgs for id, one in org.answers.items()}
        id = self._scene.pick("ans", [*everything])
        given = everything.get(id)
        right = given is not None and self._dice.random() < 0.7
        site = given.site if given and right else self._any(person.org)
        session = given.session if given and self._dice.random() < 0.7 else self._session()
        visitor = self._visitor(person, site)
        body = {"answer_id": "{id}", "session_id": session, "helpful": True}
        if given is None or visitor.site is None or (given.site, given.session) != (site, session):
            return self._scene.absent(visitor, "POST", FEEDBACK, id, json=body, site=site)
        body["answer_id"] = id
        answer = self._scene.call(visitor, "POST", FEEDBACK, json=body, site=site)
        assert answer.json() == {"status": "received"}
        given.noted = True

    def feedback(self, person: Person) -> None:
        listed: list[str] = []
        after: str | None = ""
        while after is not None:
            query = {"limit": "20", "after": after}
            page = self._scene.call(person, "GET", FEEDBACK, params=query).json()
            listed += [one["answer_id"] for one in page["feedback"]]
            after = page["next"]
        assert listed == sorted(person.feedback(), reverse=True)

    def _is_publishable(self, person: Person, id: str) -> bool:
        return person.may_publish(id) and person.org.sources[id].visibility == "public"

    def _visitor(self, person: Person, id: str) -> Visitor:
        home = next((org for org in self._scene.orgs if id in org.sites), None)
        site = home.sites[id] if home else None
        who = (person.org, person.sub, person.roles, person.teams)
        return Visitor(*who, home=home, site=site)

    def _any(self, org: Org) -> str:
        return self._scene.pick("site", [*org.sites])

    def _question(self, visitor: Visitor) -> dict[str, Any]:
        """In general, for a document of any org, or for one that the site lists, open or not."""
        orgs, listed = self._scene.orgs, visitor.site.sources if visitor.site else []
        everything = [one for org in orgs for one in org.documents.values()]
        near = [one for one in everything if one.data_source in listed]
        marks = [self._dice.choice(some).mark for some in (everything, near) if some]
        context: dict[str, Any] = {"mode": "browse", "session_id": self._session()}
        if self._dice.random() < 0.3:
            context |= {"mode": "chat", "selected_text": self._dice.choice(FACTS)}
        message = self._dice.choice([*QUERIES, *marks, *marks])
        return {"message": message, "context": context, "tier": "anonymous"}

    def _session(self) -> str:
        return str(UUID(int=self._dice.getrandbits(128), version=4))


def _described(site: Site) -> dict[str, Any]:
    return {
        "id": site.id, "name": site.name, "origins": [ORIGIN], "data_sources": site.sources,
        "look": {}, "owner": site.owner,
    }  # fmt: skip


def _told(site: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in site.items() if key != "created_at"}
