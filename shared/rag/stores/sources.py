"""Data sources: documents that the same people may query, and who these are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from rag.clock import Clock, iso, ulid
from rag.errors import ConditionFailed, Conflict, Unavailable
from rag.model import DEFAULT_SOURCE, Access, Source
from rag.ports import Absent, Delete, Item, Items, Present, Put, Update, Write
from rag.stores import layout

# All of an org are read for every question of its members.
MOST_SOURCES = 1000
# How often to read again when sources are changed while something is read.
MOST_READS = 10

Result = TypeVar("Result")

DEFAULT = Source(DEFAULT_SOURCE, "Default", Access("public"), owner=None, created_at=None)


@dataclass(frozen=True, slots=True)
class Abandoned:
    """A deleted source that may still have documents."""

    org: str
    source: str


class Sources:
    """All data sources of all orgs; every org has the default one."""

    def __init__(self, items: Items, clock: Clock) -> None:
        self._items = items
        self._clock = clock

    def all(self, org: str) -> list[Source]:
        """Every source of the org, the default one first, the others by age."""
        rows = self._items.query(layout.org(org), layout.SOURCES)
        return [DEFAULT, *(_source(item) for _, item in rows)]

    def steadily(self, org: str, read: Callable[[list[Source]], Result]) -> Result:
        """What `read` makes of every source, none of which is changed while it reads.

        Else who has just seen that a source is open could read what its owner has closed it for,
        and who sees that it is open now, what was removed before."""
        for _ in range(MOST_READS):
            before = self._changes(org)
            result = read(self.all(org))
            if self._changes(org) == before:
                return result
        raise Unavailable("The data sources are being changed by others; try again.")

    def get(self, org: str, id: str) -> Source | None:
        """The source as it is now."""
        if id == DEFAULT_SOURCE:
            return DEFAULT
        item = self._items.get(layout.source(org, id))
        return None if item is None else _source(item)

    def counts(self, org: str, sources: list[Source]) -> dict[str, int]:
        """How many documents each of them has."""
        keys = {layout.document_count(org, source.id): source.id for source in sources}
        found = self._items.get_many(keys)
        return {id: int(found[key]["n"]) if key in found else 0 for key, id in keys.items()}

    def total(self, org: str) -> int:
        """How many documents all of them have, deleted ones too until a chore has removed them."""
        rows = self._items.query(layout.org(org), layout.COUNTS)
        return sum(int(item["n"]) for _, item in rows)

    def create(self, org: str, owner: str, name: str, access: Access) -> Source:
        """A new source. Raises Conflict where the org has as many as it can."""
        if len(self.all(org)) > MOST_SOURCES:
            raise Conflict(f"An org may have {MOST_SOURCES} data sources; delete one first.")
        now = self._clock()
        source = Source(f"src_{ulid(now)}", name, access, owner, iso(now))
        self._items.write(
            Put(layout.source(org, source.id), _item(source), when=Absent()), self._news(org)
        )
        return source

    def provide(self, org: str, source: Source) -> None:
        """Have a source of our own there; one that is there already stays as it is."""
        self._write(
            Put(layout.source(org, source.id), _item(source), when=Absent()), self._news(org)
        )

    def change(self, org: str, before: Source, after: Source) -> bool:
        """Give it another name or open it to others. False if there is no such source.

        Only what is to be another is written: whoever renames a source must not open it again
        that is being closed at the same time."""
        was, now = _item(before), _item(after)
        changes = {name: value for name, value in now.items() if value != was[name]}
        return self._write(
            Update(layout.source(org, before.id), set=changes, when=Present()), self._news(org)
        )

    def delete(self, org: str, id: str) -> bool:
        """From now on nobody sees its documents. False if there is no such source."""
        return self._write(
            Delete(layout.source(org, id), when=Present()),
            Put(layout.abandoned(org, id), {"org": org, "source": id}),
            self._news(org),
        )

    def abandoned(self) -> Iterator[Abandoned]:
        """Deleted sources whose documents are still to be removed."""
        for _, item in self._items.query(layout.abandoned_sources()):
            yield Abandoned(item["org"], item["source"])

    def forget(self, abandoned: Abandoned) -> None:
        """Nothing of it is left."""
        count = layout.document_count(abandoned.org, abandoned.source)
        self._items.write(Delete(layout.abandoned(abandoned.org, abandoned.source)), Delete(count))

    def _write(self, *writes: Write) -> bool:
        try:
            self._items.write(*writes)
        except ConditionFailed:
            return False
        return True

    def _news(self, org: str) -> Write:
        return Update(layout.epoch(org), add={"n": 1, "sources": 1})

    def _changes(self, org: str) -> int:
        """How often any source was made, changed or deleted."""
        item = self._items.get(layout.epoch(org))
        return 0 if item is None else int(item.get("sources", 0))


def _item(source: Source) -> Item:
    return {
        "id": source.id,
        "name": source.name,
        "owner": source.owner,
        "createdAt": source.created_at,
        "visibility": source.access.visibility,
        "roles": sorted(source.access.roles),
        "teams": sorted(source.access.teams),
        "users": sorted(source.access.users),
    }


def _source(item: Item) -> Source:
    access = Access(
        item["visibility"],
        frozenset(item["roles"]),
        frozenset(item["teams"]),
        frozenset(item["users"]),
    )
    return Source(item["id"], item["name"], access, item["owner"], item["createdAt"])
