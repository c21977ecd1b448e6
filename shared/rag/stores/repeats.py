"""Requests that may come again: a key of the sender's stands for what its first one made."""

from __future__ import annotations

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

    def first(self, org: str, sender: str, key: str, digest: str, made: str) -> str:
        """The name of what the first request with this key makes: `made`, if this is the first.

        Raises Conflict where that was another request."""
        place = layout.repeat(org, sender, key)
        body = {"digest": digest, "made": made}
        expires = int(self._clock()) + KEPT_SECONDS
        while True:
            seen = self._items.get(place)
            if seen is None:
                try:
                    self._items.write(Put(place, body, Absent(), expires))
                except ConditionFailed:
                    continue
                return made
            if seen["digest"] != digest:
                raise Conflict("This Idempotency-Key was used for another request.")
            first: str = seen["made"]
            return first
