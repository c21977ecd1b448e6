"""Tiers: how often whom may come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from rag.model import Principal, Tier

# None: as often as they like.
PER_MINUTE: Mapping[Tier, int | None] = {
    "anonymous": 10,
    "lightweight": 30,
    "full": 100,
    "premium": None,
}


@dataclass(frozen=True, slots=True)
class Visitor:
    """Whom a limit is for: a token's subject, or an address."""

    kind: Literal["subject", "address"]
    name: str
    tier: Tier


def visitor(principal: Principal | None, address: str) -> Visitor:
    """Who is counted: whoever has no token by the address."""
    if principal is None:
        return Visitor("address", address, "anonymous")
    return Visitor("subject", f"{principal.org} {principal.sub}", principal.tier)


def claimed(principal: Principal | None, tier: Tier) -> None:
    """Raises Unauthorized where the claim is above what the caller's token says."""
