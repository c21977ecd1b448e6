"""Versions that are to be removed later: a note is left first, so that no crash forgets them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rag.clock import Clock, iso
from rag.errors import ConditionFailed
from rag.ports import Delete, Equals, Items, Key, Put, Update
from rag.stores import layout

WAITING, SWEEPING = "waiting", "sweeping"
PAGE = 100


@dataclass(frozen=True, slots=True)
class Litter:
    """One version of a document whose time has come, unless it is the current one."""

    key: Key
    org: str
    document: str
    version: str


class Garbage:
    """Notes about versions: made before a version is written, kept until it is live or gone."""

    def __init__(self, items: Items, clock: Clock) -> None:
        self._items = items
        self._clock = clock

    def note(self, org: str, document: str, version: str, after_seconds: float) -> Put:
        """The write that leaves a note; its key withdraws it."""
        due = iso(self._clock() + after_seconds)
        body = {"org": org, "document": document, "version": version, "state": WAITING}
        return Put(layout.garbage(document, version, due), body)

    def withdraw(self, note: Key) -> Delete:
        """The write that takes a note back. It fails once a sweep has begun to act on it."""
        return Delete(note, when=Equals("state", WAITING))

    def due(self) -> Iterator[Litter]:
        """Take some notes whose time has come. One that a dead sweep took comes up again."""
        now = iso(self._clock())
        for shard in range(layout.GARBAGE_SHARDS):
            pk = layout.garbage_shard(shard)
            for sk, body in self._items.query(pk, limit=PAGE):
                if sk > now:
                    break
                note = Key(pk, sk)
                try:
                    taken = Equals("state", body["state"])
                    self._items.write(Update(note, set={"state": SWEEPING}, when=taken))
                except ConditionFailed:
                    continue  # it has just been withdrawn, or swept
                yield Litter(note, body["org"], body["document"], body["version"])

    def done(self, litter: Litter) -> None:
        """Nothing of it is left."""
        self._items.write(Delete(litter.key))
