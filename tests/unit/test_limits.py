from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import Unauthorized
from rag.limits import PER_MINUTE, Visitor, claimed, visitor
from rag.model import Principal, Tier

TIERS: tuple[Tier, ...] = get_args(Tier)


def by_address(address: str) -> str:
    found = visitor(None, address)
    assert (found.kind, found.tier) == ("address", "anonymous")
    return found.name


def test_the_four_limits_are_the_contracts() -> None:
    assert PER_MINUTE == {"anonymous": 10, "lightweight": 30, "full": 100, "premium": None}


def test_a_token_is_counted_by_its_subject_wherever_it_calls_from() -> None:
    ann = Principal("ann", "acme", "full")
    assert visitor(ann, "10.0.0.1") == visitor(ann, "") == Visitor("subject", "acme ann", "full")


def test_tokens_of_different_subjects_are_different_visitors() -> None:
    tokens = [("a", "b c"), ("a.b", "c"), ("a", "b"), ("b", "a"), ("a", "c")]
    names = {visitor(Principal(sub, org), "").name for org, sub in tokens}
    assert len(names) == len(tokens)


def test_nobody_is_taken_for_an_address_by_being_called_like_one() -> None:
    assert visitor(Principal("10.0.0.1", "acme", "anonymous"), "") != visitor(None, "10.0.0.1")


@given(address=st.ip_addresses(v=4))
def test_an_address_of_ipv4_is_one_visitor_however_it_is_written(address: IPv4Address) -> None:
    mapped = IPv6Address(0xFFFF << 32 | int(address))
    assert by_address(str(address)) == by_address(str(mapped)) == str(address)
    assert by_address(f"::ffff:{address}") == str(address)


@given(address=st.ip_addresses(v=6), host=st.integers(0, 2**64 - 1))
def test_of_ipv6_whoever_has_the_same_64_bits_is_one_visitor(
    address: IPv6Address, host: int
) -> None:
    if address.ipv4_mapped is not None:
        return
    network = int(address) >> 64 << 64
    neighbour = IPv6Address(network | host)
    if neighbour.ipv4_mapped is None:
        assert by_address(str(neighbour)) == by_address(address.exploded)
    stranger = IPv6Address(network ^ 1 << 64 | host)
    assert by_address(str(stranger)) != by_address(str(address))


def test_an_interface_is_no_part_of_who_somebody_is() -> None:
    assert by_address("fe80::1%eth0") == by_address("fe80::2%eth1")


@given(address=st.text(max_size=20))
def test_what_is_no_address_is_somebody_too(address: str) -> None:
    assert isinstance(by_address(address), str)


@pytest.mark.parametrize("claim", TIERS)
@pytest.mark.parametrize("own", [None, *TIERS])
def test_a_claim_may_be_below_what_a_token_says_and_never_above(
    own: Tier | None, claim: Tier
) -> None:
    principal = None if own is None else Principal("ann", "acme", own)
    allowed = TIERS[: TIERS.index(own or "anonymous") + 1]
    if claim in allowed:
        claimed(principal, claim)
    else:
        with pytest.raises(Unauthorized):
            claimed(principal, claim)
