"""Sites: which pages' visitors may ask, and of which data sources."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from rag.clock import Clock, iso, ulid
from rag.errors import ConditionFailed, Conflict
from rag.model import Site
from rag.ports import Absent, Delete, Item, Items, Present, Put
from rag.stores import layout

MOST_SITES = 100
# Anybody may ask for a site, under any name: of those, only what we could have given is a key.
ID = re.compile(r"site_[0-9A-Z]{26}")

# Built in, for who tries this on a laptop: any page, and our own documentation. That is no document
# of whoever tries it, so it is in an org of its own, whose name no token and no key can have.
DEMO = Site("demo", "~demo", "Footnote", None, ("demo",), {}, owner=None, created_at=None)


class Sites:
    """All sites of all orgs."""

    def __init__(self, items: Items, clock: Clock) -> None:
        self._items = items
        self._clock = clock

    def create(
        self,
        org: str,
        owner: str,
        name: str,
        origins: Sequence[str],
        sources: Sequence[str],
        look: Mapping[str, Any],
    ) -> Site:
        """A new site. Raises Conflict where the org has as many as it can."""
        if len(self.all(org)) >= MOST_SITES:
            raise Conflict(f"An org may have {MOST_SITES} sites; delete one first.")
        now = self._clock()
        id, made = f"site_{ulid(now)}", iso(now)
        site = Site(id, org, name, tuple(origins), tuple(sources), look, owner, made)
        self._items.write(
            Put(layout.site(id), _item(site), when=Absent()),
            Put(layout.site_entry(org, id), _item(site), when=Absent()),
        )
        return site

    def get(self, id: str) -> Site | None:
        """The site, of whatever org."""
        if id == DEMO.id:
            return DEMO
        item = self._items.get(layout.site(id)) if ID.fullmatch(id) else None
        return None if item is None else _site(item)

    def all(self, org: str) -> list[Site]:
        """Every site that was made in the org, by age."""
        return [_site(item) for _, item in self._items.query(layout.org(org), layout.SITES)]

    def delete(self, org: str, id: str) -> bool:
        """From now on there is no such site. False if there was none in the org."""
        try:
            self._items.write(
                Delete(layout.site(id), when=Present()),
                Delete(layout.site_entry(org, id), when=Present()),
            )
        except ConditionFailed:
            return False
        return True


def _item(site: Site) -> Item:
    return {
        "id": site.id,
        "org": site.org,
        "name": site.name,
        "origins": list(site.origins or ()),
        "sources": list(site.data_sources),
        "look": json.dumps(site.look),
        "owner": site.owner,
        "createdAt": site.created_at,
    }


def _site(item: Item) -> Site:
    return Site(
        item["id"],
        item["org"],
        item["name"],
        tuple(item["origins"]),
        tuple(item["sources"]),
        json.loads(item["look"]),
        item["owner"],
        item["createdAt"],
    )
