"""Uploaded objects: who may speak for one.

Events come twice, late and out of order. So an event only says where to look, and whoever looks
claims the object first: a claim made later has seen at least as much, and wins.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from rag.clock import Clock, iso
from rag.errors import ConditionFailed
from rag.ports import Absent, Equals, Items, Put, Update, Write
from rag.stores import layout

# Longer than any event of an object that is gone can be under way.
REMEMBERED_SECONDS = 15 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to say what the object is like, until somebody else claims it."""

    org: str
    key: str
    number: int
    sequencer: str


class Uploads:
    """All uploaded objects of all orgs."""

    def __init__(self, items: Items, clock: Clock) -> None:
        self._items = items
        self._clock = clock

    def claim(self, org: str, key: str, sequencer: str = "") -> Claim | None:
        """Claim an object before looking at it. None for an event older than one already seen."""
        place = layout.upload(org, key)
        while True:
            seen = self._items.get(place)
            latest = seen["sequencer"] if seen else ""
            if sequencer and _earlier(sequencer, latest):
                return None
            claim = Claim(org, key, seen["number"] + 1 if seen else 1, sequencer or latest)
            body = {"key": key, "number": claim.number, "sequencer": claim.sequencer}
            with suppress(ConditionFailed):
                when = Equals("number", seen["number"]) if seen else Absent()
                self._items.write(Put(place, body, when))
                return claim

    def held(self, claim: Claim) -> Write:
        """The write that changes nothing, and that a lost claim forbids."""
        place = layout.upload(claim.org, claim.key)
        return Update(place, when=Equals("number", claim.number))

    def settled(self, claim: Claim) -> Write:
        """The write that says: the document now is what the object is. A lost claim forbids it."""
        now = iso(self._clock())
        place = layout.upload(claim.org, claim.key)
        return Update(place, set={"settledAt": now}, when=Equals("number", claim.number))

    def gone(self, claim: Claim) -> Write:
        """The write that says: there is no such object, and so no document."""
        body = {"key": claim.key, "number": claim.number, "sequencer": claim.sequencer}
        return Put(
            layout.upload(claim.org, claim.key),
            body,
            when=Equals("number", claim.number),
            expires=int(self._clock()) + REMEMBERED_SECONDS,
        )

    def forget(self, claim: Claim) -> None:
        """Write `gone` where there was no document to remove; a lost claim is no matter."""
        with suppress(ConditionFailed):
            self._items.write(self.gone(claim))


def _earlier(one: str, other: str) -> bool:
    """S3's sequencers are of different lengths and compare as if filled up with zeros."""
    width = max(len(one), len(other))
    return one.ljust(width, "0") < other.ljust(width, "0")
