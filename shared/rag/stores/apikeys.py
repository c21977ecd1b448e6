"""API keys: only the hash of a key is kept."""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import cast

from rag.clock import Clock, iso
from rag.model import Principal, Tier
from rag.ports import Items, Put
from rag.stores import layout

PREFIX = "fn_"


class ApiKeys:
    """Keys that stand for a principal."""

    def __init__(self, items: Items, clock: Clock) -> None:
        self._items = items
        self._clock = clock

    def create(self, principal: Principal) -> str:
        """Make a key; it cannot be shown again."""
        key = PREFIX + secrets.token_urlsafe(32)
        body = {
            "sub": principal.sub,
            "org": principal.org,
            "tier": principal.tier,
            "roles": sorted(principal.roles),
            "teams": sorted(principal.teams),
            "createdAt": iso(self._clock()),
        }
        self._items.write(Put(layout.api_key(_digest(key)), body))
        return key

    def principal(self, key: str) -> Principal | None:
        """Whom the key stands for."""
        item = self._items.get(layout.api_key(_digest(key)))
        if item is None:
            return None
        return Principal(
            sub=item["sub"],
            org=item["org"],
            tier=cast(Tier, item["tier"]),
            roles=frozenset(item["roles"]),
            teams=frozenset(item["teams"]),
        )


def _digest(key: str) -> str:
    # Keys are 256 random bits: a slow hash would protect nothing and cost every request.
    return sha256(key.encode()).hexdigest()
