"""Leases: which worker is at what. One that dies leaves a lease that expires, and its message is
queued again, however long the queue itself would hide it.

A lease only says that somebody is alive. What was done counts by other writes, which a second
worker at the same thing cannot repeat.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from rag.clock import Clock, ulid
from rag.errors import ConditionFailed
from rag.ports import Absent, Delete, Equals, Guard, Item, Items, Key, Put, Update
from rag.stores import layout

SECONDS = 20
# After being queued again it may wait behind others for so long.
WAITING_SECONDS = 900
FORGOTTEN_SECONDS = 14 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Lease:
    """A message in the hands of one worker."""

    key: Key
    fence: str
    deaths: int  # workers that have died at it before


@dataclass(frozen=True, slots=True)
class Held:
    """Somebody else is at it, for so many seconds unless they go on."""

    seconds: int


@dataclass(frozen=True, slots=True)
class Expired:
    """A message whose worker has died."""

    key: Key
    fence: str
    org: str
    message: dict[str, Any]


class Leases:
    """The leases of all workers, by the name of what each is at."""

    def __init__(self, items: Items, clock: Clock) -> None:
        self._items = items
        self._clock = clock

    def take(self, name: str, org: str, message: Mapping[str, Any]) -> Lease | Held:
        """Be the one who works on it, unless somebody is."""
        key = layout.lease(name)
        while True:
            now = self._clock()
            seen = self._items.get(key)
            if seen and seen["fence"] and seen["until"] > now:
                return Held(int(seen["until"] - now) + 1)
            lease = Lease(key, ulid(now), _deaths(seen) if seen else 0)
            item = {
                "fence": lease.fence,
                "until": now + SECONDS,
                "deaths": lease.deaths,
                "org": org,
                "message": dict(message),
            }
            guard: Guard = Equals("fence", seen["fence"]) if seen else Absent()
            with suppress(ConditionFailed):
                self._items.write_lightly(Put(key, item, guard, int(now) + FORGOTTEN_SECONDS))
                return lease

    def renew(self, lease: Lease) -> None:
        """Go on; whoever has lost it meanwhile does so too, and cannot do any harm."""
        until = {"until": self._clock() + SECONDS}
        with suppress(ConditionFailed):
            self._items.write_lightly(
                Update(lease.key, set=until, when=Equals("fence", lease.fence))
            )

    def release(self, lease: Lease) -> None:
        """It is done, or comes again by itself."""
        with suppress(ConditionFailed):
            self._items.write_lightly(Delete(lease.key, when=Equals("fence", lease.fence)))

    def expired(self) -> Iterator[Expired]:
        """Messages that nobody works on any more. One that was queued again comes up later, since
        that message may be lost, too."""
        for sk, item in self._items.query(layout.leases()):
            if item["until"] <= self._clock():
                key = Key(layout.leases(), sk)
                yield Expired(key, item["fence"], item["org"], item["message"])

    def waits(self, expired: Expired) -> None:
        """It has been queued again."""
        seen = self._items.get(expired.key)
        if seen is None:
            return
        until = self._clock() + WAITING_SECONDS
        free = {"fence": "", "deaths": _deaths(seen), "until": until}
        with suppress(ConditionFailed):
            self._items.write_lightly(
                Update(expired.key, set=free, when=Equals("fence", expired.fence))
            )


def _deaths(seen: Item) -> int:
    """One without a fence was let go by the sweeper, which has counted its death."""
    deaths: int = seen["deaths"] + bool(seen["fence"])
    return deaths
