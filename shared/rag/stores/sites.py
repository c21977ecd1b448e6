"""Sites: which pages' visitors may ask, and of which data sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rag.clock import Clock
from rag.model import Site
from rag.ports import Items

# Built in, for who tries this on a laptop: any page, and the demo's documents.
DEMO = Site("demo", "local", "Demo", None, ("demo",), {}, owner=None, created_at=None)


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
        """A new site. Raises Conflict where the org has too many."""
        raise NotImplementedError

    def get(self, id: str) -> Site | None:
        """The site, of whatever org."""
        return DEMO if id == DEMO.id else None

    def all(self, org: str) -> list[Site]:
        """Every site of the org."""
        raise NotImplementedError

    def delete(self, org: str, id: str) -> bool:
        """Whether there was such a site."""
        raise NotImplementedError
