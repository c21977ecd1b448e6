"""Requests that may come again: a key of the sender's stands for what its first one made."""

from __future__ import annotations

from contextlib import suppress

from rag.clock import Clock
from rag.errors import ConditionFailed, Conflict
from rag.ports import Absent, Items, Put
from rag.stores import layout

KEPT_SECONDS = 24 * 3600


class Repeats:
    """The keys of all senders."""

    def __init__(self, items: Items, clock: Clock) -> None:
        self._items = items
        self._clock = clock

    def known(self, org: str, sender: str, key: str, digest: str) -> str | None:
        """The name of what the first request with this key makes, if there was one.

        Raises Conflict where that was another request."""
        seen = self._items.get(layout.repeat(org, sender, key))
        if seen is None:
            return None
        if seen["digest"] != digest:
            raise Conflict("This Idempotency-Key was used for another request.")
        made: str = seen["made"]
        return made

    def first(self, org: str, sender: str, key: str, digest: str, made: str) -> str:
        """The same, where this request makes `made` if it is the first. Raises Conflict."""
        place = layout.repeat(org, sender, key)
        body = {"digest": digest, "made": made}
        expires = int(self._clock()) + KEPT_SECONDS
        while (known := self.known(org, sender, key, digest)) is None:
            with suppress(ConditionFailed):
                self._items.write(Put(place, body, Absent(), expires))
                return made
        return known
