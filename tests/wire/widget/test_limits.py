"""How often whom may come, through HTTP: the four tiers, to the last call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any

import httpx
import pytest

from rag.limits import PER_MINUTE, Visitor
from rag.model import Principal
from rag.stores import layout
from tests.conftest import Clock, Server
from tests.integration.test_races import at_once
from tests.wire.widget.visits import CHAT, FEEDBACK, ask, question, remaining

TIERS = ["anonymous", "lightweight", "full", "premium"]
LIMITED = [(tier, PER_MINUTE[tier]) for tier in TIERS[:3]]  # type: ignore[index]
LIMIT_HEADERS = ("x-ratelimit-limit", "x-ratelimit-remaining", "retry-after")


@pytest.fixture
def server(start: Callable[..., Server], clock: Clock) -> Server:
    """A server whose minutes pass when a test says so."""
    return start(clock=clock)


@pytest.fixture
def elsewhere(server: Server) -> Iterator[Callable[[str], httpx.Client]]:
    """Callers from other addresses of this machine."""
    with ExitStack() as clients:

        def caller(address: str) -> httpx.Client:
            transport = httpx.HTTPTransport(local_address=address)
            return clients.enter_context(httpx.Client(base_url=server.url, transport=transport))

        yield caller


def credentials(server: Server, tier: str, sub: str = "ann") -> dict[str, str]:
    """Those of a visitor of this tier, who as an anonymous one has none."""
    return {} if tier == "anonymous" else server.token(sub, tier=tier)


@pytest.mark.parametrize("claim", TIERS)
@pytest.mark.parametrize("own", [None, *TIERS])
def test_the_token_decides_and_a_claim_above_it_is_refused(
    server: Server, own: str | None, claim: str
) -> None:
    headers = {} if own is None else server.token(tier=own)
    answer = ask(server.http, headers, tier=claim)
    own = own or "anonymous"
    if TIERS.index(claim) > TIERS.index(own):
        assert answer.status_code == 401
        assert answer.json() == {
            "error": {
                "code": "UNAUTHORIZED",
                "message": "Invalid or expired session token",
                "details": None,
            }
        }
    else:
        assert answer.status_code == 200
        limit = PER_MINUTE[own]  # type: ignore[index]
        assert answer.headers.get("x-ratelimit-limit") == (None if limit is None else str(limit))


@pytest.mark.parametrize(("tier", "limit"), LIMITED)
def test_every_answer_says_how_many_are_left_and_a_refusal_how_long_to_wait(
    server: Server, clock: Clock, tier: str, limit: int
) -> None:
    come = partial(ask, server.http, credentials(server, tier), tier=tier)
    for used in range(limit):
        answer = come()
        assert answer.status_code == 200
        told = [answer.headers.get(name) for name in LIMIT_HEADERS]
        assert told == [str(limit), str(limit - used - 1), None]
    clock.now += 22.5
    refused = come()
    assert refused.status_code == 429
    assert refused.json() == {
        "error": {
            "code": "RATE_LIMIT_EXCEEDED",
            "message": "Too many requests. Try again in 38 seconds.",
            "details": {
                "retry_after": 38,
                "limit": f"{limit} requests per minute ({tier} tier)",
            },
        }
    }
    assert [refused.headers[name] for name in LIMIT_HEADERS] == [str(limit), "0", "38"]
    clock.now += 37
    last = come()
    assert last.json()["error"]["message"] == "Too many requests. Try again in 1 second."
    clock.now += 0.5
    assert remaining(come()) == limit - 1


def test_premium_comes_as_often_as_it_likes_and_is_told_of_no_limit(server: Server) -> None:
    headers = server.token(tier="premium")
    for _ in range(130):
        answer = ask(server.http, headers, tier="premium")
        assert answer.status_code == 200
        assert not answer.headers.keys() & set(LIMIT_HEADERS)


@pytest.mark.parametrize(("tier", "limit"), LIMITED)
def test_of_many_at_once_at_two_servers_exactly_as_many_as_may_are_let_in(
    start: Callable[..., Server], clock: Clock, tier: str, limit: int
) -> None:
    servers = [start(clock=clock) for _ in range(2)]
    headers = credentials(servers[0], tier)
    answers = at_once([partial(ask, servers[n % 2].http, headers) for n in range(limit + 50)])
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [200] * limit + [429] * 50
    clock.now += 59.999
    assert ask(servers[0].http, headers).status_code == 429
    clock.now += 0.001
    assert remaining(ask(servers[1].http, headers)) == limit - 1


def test_a_streamed_answer_counts_like_any_other_and_says_so(server: Server) -> None:
    stream = {"Accept": "text/event-stream"}
    for left in (9, 8):
        answer = ask(server.http, stream)
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert remaining(answer) == left
    for left in range(7, -1, -1):
        assert remaining(ask(server.http)) == left
    refused = ask(server.http, stream)
    assert refused.status_code == 429
    assert refused.json()["error"]["code"] == "RATE_LIMIT_EXCEEDED"


def test_a_claim_below_the_token_gives_no_second_allowance(server: Server) -> None:
    headers = server.token(tier="lightweight")
    left = [remaining(ask(server.http, headers, tier=tier)) for tier in TIERS[:2] * 2]
    assert left == [29, 28, 27, 26]


def test_subjects_and_addresses_have_an_allowance_each(
    server: Server, elsewhere: Callable[[str], httpx.Client]
) -> None:
    def left(http: httpx.Client, **headers: str) -> int:
        return remaining(ask(http, headers))

    near, far = elsewhere("127.0.0.7"), elsewhere("127.0.0.8")
    assert [left(near), left(far), left(near)] == [9, 9, 8]
    ann, bob = server.token("ann", tier="full"), server.token("bob", tier="full")
    assert [left(near, **ann), left(far, **ann), left(near, **bob)] == [99, 98, 99]
    # Of another org, another ann.
    assert left(near, **server.token("ann", "else", tier="full")) == 99


def test_an_api_key_is_a_visitor_like_a_token(server: Server) -> None:
    key = server.footnote.api_keys.create(Principal("key_1", "acme", "lightweight"))
    assert [remaining(ask(server.http, {"x-api-key": key})) for _ in range(2)] == [29, 28]


def test_what_is_refused_before_takes_nothing_from_the_allowance(server: Server) -> None:
    site = server.footnote.sites.create("acme", "ann", "Docs", ["https://docs.example"], [], {})
    refused: list[tuple[int, dict[str, Any]]] = [
        (400, {"json": question(message=" ")}),
        (400, {"json": question(tier="golden")}),
        (400, {"content": b"{", "headers": {"Content-Type": "application/json"}}),
        (401, {"json": question("premium")}),
        (401, {"json": question(), "headers": {"Authorization": "Bearer nonsense"}}),
        (
            403,
            {"json": question(), "headers": {"X-Site": site.id, "Origin": "https://else.example"}},
        ),
        (404, {"json": question(), "headers": {"X-Site": "site_none"}}),
        (413, {"json": question(message="x" * 7_000_000)}),
        (415, {"content": b"x", "headers": {"Content-Type": "text/plain"}}),
    ]
    for status, request in refused:
        answer = server.http.post(CHAT, **request)
        assert (answer.status_code, answer.headers.get("x-ratelimit-limit")) == (status, None)
    assert remaining(ask(server.http)) == 9


def test_the_same_address_has_one_allowance_for_all_sites_and_sessions(server: Server) -> None:
    sites = server.footnote.sites
    ids = [sites.create("acme", "ann", name, ["https://a.example"], [], {}).id for name in "ab"]
    for left in range(9, -1, -1):
        assert remaining(ask(server.http, {"X-Site": ids[left % 2]})) == left
    for id in ids:
        assert ask(server.http, {"X-Site": id}).status_code == 429


def test_any_number_of_sessions_of_one_address_is_one_visitor_with_one_item(
    server: Server, clock: Clock
) -> None:
    admitted = 0
    for _ in range(300):
        clock.now += 0.4
        admitted += ask(server.http).status_code == 200
    assert admitted == 20
    fleeting = server.footnote.parts.fleeting
    key = layout.limit("chat", Visitor("address", "127.0.0.1", "anonymous"))
    item = fleeting.get(key)
    assert item is not None
    assert item.keys() == {str(slot) for slot in range(10)}
    with fleeting._database.connection() as rows:  # type: ignore[attr-defined]
        [(kept,)] = rows.execute("SELECT count(*) FROM items WHERE pk LIKE 'LIMIT#%'").fetchall()
    assert kept == 1


def test_feedback_has_an_allowance_of_its_own(server: Server) -> None:
    rating = {"answer_id": "ans_none", "session_id": question()["context"]["session_id"]}
    for left in range(9, -1, -1):
        answer = server.http.post(FEEDBACK, json={**rating, "helpful": True})
        assert (answer.status_code, answer.headers["x-ratelimit-remaining"]) == (404, str(left))
    refused = server.http.post(FEEDBACK, json={**rating, "helpful": True})
    assert refused.status_code == 429
    assert refused.json()["error"]["details"]["retry_after"] == 60
    assert remaining(ask(server.http)) == 9


def test_behind_trusted_proxies_visitors_are_whom_these_name(
    start: Callable[..., Server], clock: Clock
) -> None:
    http = start({"TRUSTED_PROXIES": "1"}, clock=clock).http

    def left(*forwarded: str) -> int:
        headers = [("X-Forwarded-For", one) for one in forwarded]
        return remaining(http.post(CHAT, json=question(), headers=headers))

    assert [left("192.0.2.1"), left("192.0.2.2"), left()] == [9, 9, 9]
    # What its caller has told the proxy is no matter.
    assert left("198.51.100.7, 192.0.2.1") == 8
    assert left("198.51.100.8", "192.0.2.1") == 7
    assert left("2001:db8::1") == 9
    assert left("2001:db8::2") == 8
