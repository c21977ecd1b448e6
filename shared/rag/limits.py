"""Tiers: how often whom may come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Network, ip_address
from typing import Literal, get_args

from rag.errors import Unauthorized
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
        return Visitor("address", neighbourhood(address), "anonymous")
    return Visitor("subject", f"{principal.org} {principal.sub}", principal.tier)


def neighbourhood(address: str) -> str:
    """What one visitor has of addresses: one of IPv4, and of IPv6 all that begin with the same
    64 bits, among which a single machine may choose at will."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(IPv6Network((int(parsed), 64), strict=False))


def claimed(principal: Principal | None, tier: Tier) -> None:
    """Raises Unauthorized where the claim is above what the caller's token says."""
    ranks = get_args(Tier)
    own = "anonymous" if principal is None else principal.tier
    if ranks.index(tier) > ranks.index(own):
        raise Unauthorized(f"The tier {tier} needs a token that says so.")
