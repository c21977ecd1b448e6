"""Who calls the embedded server: nothing that a caller writes decides it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.local.identity import caller_address

PEER, CALLER, FORGED = "10.0.0.9", "192.0.2.1", "198.51.100.7"
ADDRESSES = st.ip_addresses().map(str)
HEADERS = st.lists(st.lists(st.one_of(ADDRESSES, st.text(max_size=9))).map(", ".join))


@given(forwarded=HEADERS)
def test_without_proxies_it_is_the_peer_whatever_is_said(forwarded: list[str]) -> None:
    assert caller_address(PEER, forwarded, 0) == PEER


@given(forwarded=HEADERS, caller=ADDRESSES, proxies=st.lists(ADDRESSES, max_size=3))
def test_it_is_whoever_called_the_outermost_of_our_proxies_whatever_is_said_before(
    forwarded: list[str], caller: str, proxies: list[str]
) -> None:
    """Each proxy adds whom it was called by; the last one is the peer."""
    said = [*forwarded, ", ".join([caller, *proxies])]
    assert caller_address(PEER, said, len(proxies) + 1) == caller


@pytest.mark.parametrize(
    ("forwarded", "proxies", "found"),
    [
        ([], 1, PEER),
        ([""], 1, PEER),
        ([CALLER], 1, CALLER),
        ([f" {CALLER} "], 1, CALLER),
        ([f"{FORGED}, {CALLER}"], 1, CALLER),
        ([FORGED, CALLER], 1, CALLER),
        ([f"{FORGED},{CALLER},10.0.0.8"], 2, CALLER),
        # Fewer have added something than there are.
        ([CALLER], 2, CALLER),
        ([CALLER], 10**9, CALLER),
        # Nobody whom we know by these.
        (["unknown"], 1, PEER),
        ([f"{FORGED}, "], 1, PEER),
        ([f"{CALLER}:443"], 1, PEER),
        (["2001:DB8:0::1"], 1, "2001:db8::1"),
    ],
)
def test_it_is_the_entry_that_our_proxies_have_written(
    forwarded: list[str], proxies: int, found: str
) -> None:
    assert caller_address(PEER, forwarded, proxies) == found


@pytest.mark.parametrize("peer", ["", "testclient"])
def test_a_peer_without_an_address_is_called_what_it_is(peer: str) -> None:
    assert caller_address(peer, [FORGED], 0) == peer
