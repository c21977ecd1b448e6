"""Steps about what an org has done."""

from __future__ import annotations

from collections import Counter

from tests.integration.waiting import until
from tests.wire.access.ledger import Person
from tests.wire.access.scene import Scene

USAGE = "/api/rag/usage"


class UsageSteps:
    """People look at what their org has done: all of it, and nothing that another has."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def read(self, person: Person) -> None:
        """It is counted just after it is answered."""
        until(lambda: self._told(person) >= person.org.used)
        assert self._told(person) == person.org.used

    def _told(self, person: Person) -> Counter[str]:
        """Of two days, because the walk may see midnight."""
        days = self._scene.call(person, "GET", USAGE, params={"days": "2"}).json()["days"]
        kinds = ("searches", "questions")
        return Counter({kind: sum(day[kind] for day in days) for kind in kinds})
