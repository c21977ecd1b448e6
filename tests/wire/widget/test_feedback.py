"""Feedback, over HTTP: who may rate which answer, and who is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from rag.answering import Outcome
from rag.clock import ulid
from rag.model import Site
from rag.stores.answers import Given
from tests.conftest import Clock, Server
from tests.integration.test_races import at_once

PLACE = "/api/v1/feedback"
ORIGIN = "https://docs.example"
SESSION = "550e8400-e29b-41d4-a716-446655440000"
OTHER = "550e8400-e29b-41d4-b716-446655440000"
SOURCES = ({"id": "cit_1", "title": "Kettle", "url": "/kettle#warranty"},)
PAGE = "https://docs.example/kettle"


@pytest.fixture
def server(start: Callable[..., Server], clock: Clock) -> Server:
    return start(clock=clock)


def made(server: Server, org: str = "acme", owner: str = "ann") -> Site:
    return server.footnote.sites.create(org, owner, "Docs", [ORIGIN], [], {})


def answered(server: Server, clock: Clock, site: Site, outcome: Outcome = "answer") -> str:
    """An answer that a visitor was given."""
    clock.now += 0.25
    id = f"ans_{ulid(clock.now)}"
    sources = () if outcome == "abstain" else SOURCES
    given = Given(site.org, site.id, SESSION, "When does it end?", outcome, sources, PAGE)
    server.footnote.answers.keep(id, given)
    return id


def sent(id: str, **more: Any) -> dict[str, Any]:
    return {"answer_id": id, "session_id": SESSION, "helpful": True, **more}


def rate(
    server: Server, site: Site, id: str, *, headers: dict[str, str] | None = None, **more: Any
) -> httpx.Response:
    # Every call is another visitor's, whose token has no limit.
    by = server.token(f"visitor {len(server.lines)}", "elsewhere", tier="premium")
    by |= {"X-Site": site.id, "Origin": ORIGIN, **(headers or {})}
    return server.http.post(PLACE, json=sent(id, **more), headers=by)


def rows(server: Server, *who: str, roles: tuple[str, ...] = (), **query: Any) -> list[Any]:
    answer = server.http.get(PLACE, params=query, headers=server.token(*who, roles=[*roles]))
    assert answer.status_code == 200, answer.text
    found: list[Any] = answer.json()["feedback"]
    return found


def is_refused(answer: httpx.Response, status: int, code: str) -> Any:
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert (set(error), error["code"]) == ({"code", "message", "details"}, code)
    return error["details"]


def test_a_rating_is_told_to_the_sites_owner_with_what_was_asked_and_answered(
    server: Server, clock: Clock
) -> None:
    site = made(server)
    id = answered(server, clock, site)
    answer = rate(server, site, id, helpful=False, comment="Out of date.")
    assert (answer.status_code, answer.json()) == (200, {"status": "received"})
    assert rows(server, "ann") == [
        {
            "answer_id": id, "site": site.id, "question": "When does it end?",
            "outcome": "answer", "sources": [*SOURCES], "helpful": False,
            "comment": "Out of date.", "page_url": PAGE,
            "created_at": "2027-01-15T08:00:00.250Z",
        }
    ]  # fmt: skip


def test_a_rating_takes_the_place_of_an_earlier_one(server: Server, clock: Clock) -> None:
    site = made(server)
    id = answered(server, clock, site)
    assert rate(server, site, id, helpful=False, comment="No.").is_success
    assert rate(server, site, id, session_id=SESSION.upper()).is_success
    assert [(one["helpful"], one["comment"]) for one in rows(server, "ann")] == [(True, None)]


def test_what_nobody_answered_is_told_although_nobody_rated_it(
    server: Server, clock: Clock
) -> None:
    site = made(server)
    answered(server, clock, site)
    id = answered(server, clock, site, "abstain")
    [row] = rows(server, "ann")
    assert (row["answer_id"], row["helpful"], row["comment"]) == (id, None, None)


def test_whatever_may_not_be_rated_is_as_if_it_were_not_there(server: Server, clock: Clock) -> None:
    site, other, zetas = made(server), made(server), made(server, "zeta")
    old = answered(server, clock, site)
    clock.now += 24 * 3600
    id = answered(server, clock, site)
    answers = [
        rate(server, site, f"ans_{ulid(clock.now)}"),
        rate(server, site, "nonsense"),
        rate(server, site, id, session_id=OTHER),
        rate(server, other, id),
        rate(server, zetas, id),
        rate(server, site, old),
    ]
    for answer in answers:
        assert is_refused(answer, 404, "NOT_FOUND") is None
    assert len({answer.text for answer in answers}) == 1
    assert rows(server, "ann") == rows(server, "ann", "zeta") == []
    assert rate(server, site, id).is_success


RULES: list[tuple[dict[str, Any], str, str, str]] = [
    ({"answer_id": None}, "INVALID_REQUEST", "answer_id", "required"),
    ({"answer_id": ""}, "INVALID_REQUEST", "answer_id", "non_empty"),
    ({"answer_id": 1}, "INVALID_REQUEST", "answer_id", "string"),
    ({"answer_id": "x" * 129}, "INVALID_REQUEST", "answer_id", "max_length"),
    ({"session_id": None}, "INVALID_REQUEST", "session_id", "required"),
    ({"session_id": 1}, "INVALID_SESSION_ID", "session_id", "uuid_v4"),
    ({"session_id": ""}, "INVALID_SESSION_ID", "session_id", "uuid_v4"),
    ({"session_id": SESSION[:-1]}, "INVALID_SESSION_ID", "session_id", "uuid_v4"),
    ({"session_id": SESSION + "\n"}, "INVALID_SESSION_ID", "session_id", "uuid_v4"),
    (
        {"session_id": "550e8400-e29b-11d4-a716-446655440000"},
        "INVALID_SESSION_ID", "session_id", "uuid_v4",
    ),
    ({"helpful": None}, "INVALID_REQUEST", "helpful", "required"),
    ({"helpful": "yes"}, "INVALID_REQUEST", "helpful", "boolean"),
    ({"helpful": 1}, "INVALID_REQUEST", "helpful", "boolean"),
    ({"comment": []}, "INVALID_REQUEST", "comment", "string"),
    ({"comment": "x" * 2001}, "INVALID_REQUEST", "comment", "max_length"),
]  # fmt: skip


def test_what_breaks_a_rule_is_not_noted(server: Server, clock: Clock) -> None:
    site = made(server)
    id = answered(server, clock, site)
    for change, code, field, constraint in RULES:
        answer = rate(server, site, id, **change)
        assert is_refused(answer, 400, code) == {"field": field, "constraint": constraint}
    assert rows(server, "ann") == []
    assert rate(server, site, id, comment="ü" * 2000).is_success


def test_pages_of_another_origin_may_not_rate_nor_read_why(server: Server, clock: Clock) -> None:
    site = made(server)
    id = answered(server, clock, site)
    refused = rate(server, site, id, headers={"Origin": "https://else.example"})
    assert is_refused(refused, 403, "FORBIDDEN") is None
    assert "access-control-allow-origin" not in refused.headers
    unknown = rate(server, site, id, headers={"X-Site": "site_0"})
    assert is_refused(unknown, 404, "NOT_FOUND") is None
    assert rows(server, "ann") == []


def test_who_has_no_token_may_rate_so_often(server: Server, clock: Clock) -> None:
    site = made(server)
    id = answered(server, clock, site)

    def rated(**more: Any) -> httpx.Response:
        return server.http.post(PLACE, json=sent(id, **more), headers={"X-Site": site.id})

    # What is refused before it is looked for is not counted.
    assert rated(helpful=None).status_code == 400
    left = [rated() for _ in range(10)]
    assert [one.status_code for one in left] == [200] * 10
    assert [one.headers["x-ratelimit-remaining"] for one in left] == [*map(str, range(9, -1, -1))]
    clock.now += 20
    refused = rated()
    details = {"retry_after": 40, "limit": "10 requests per minute (anonymous tier)"}
    assert is_refused(refused, 429, "RATE_LIMIT_EXCEEDED") == details
    assert refused.headers["retry-after"] == "40"
    clock.now += 40
    assert rated().status_code == 200


# Who is told


def test_owners_are_told_of_their_sites_and_admins_of_all_of_the_org(
    server: Server, clock: Clock
) -> None:
    ids = {}
    for org, owner in (("acme", "ann"), ("acme", "bob"), ("zeta", "ann")):
        site = made(server, org, owner)
        ids[org, owner] = answered(server, clock, site)
        assert rate(server, site, ids[org, owner]).is_success

    def told(*who: str, **more: Any) -> list[str]:
        return [one["answer_id"] for one in rows(server, *who, **more)]

    assert told("ann", "acme") == [ids["acme", "ann"]]
    assert told("bob", "acme") == [ids["acme", "bob"]]
    assert told("eve", "acme") == []
    assert told("eve", "acme", roles=("admin",)) == [ids["acme", "bob"], ids["acme", "ann"]]
    assert told("bob", "zeta", roles=("admin",)) == [ids["zeta", "ann"]]
    assert told("bob", "zeta") == []


def test_a_deleted_sites_feedback_is_the_admins(server: Server, clock: Clock) -> None:
    site = made(server)
    id = answered(server, clock, site)
    assert rate(server, site, id).is_success
    assert server.footnote.sites.delete("acme", site.id)
    assert is_refused(rate(server, site, id), 404, "NOT_FOUND") is None
    assert rows(server, "ann") == []
    assert len(rows(server, "eve", roles=("admin",))) == 1


def test_pages_follow_each_other_newest_first(server: Server, clock: Clock) -> None:
    own, bobs = made(server), made(server, owner="bob")
    ids = []
    for _ in range(105):
        answered(server, clock, bobs, "abstain")
        ids.append(answered(server, clock, own, "abstain"))
    listed, after, sizes = [], "", []
    while after is not None:
        query = {"limit": 100, "after": after}
        page = server.http.get(PLACE, params=query, headers=server.token("ann")).json()
        listed += [one["answer_id"] for one in page["feedback"]]
        sizes.append(len(page["feedback"]))
        after = page["next"]
    assert listed == ids[::-1]
    assert sizes == [100, 5]
    assert len(rows(server, "ann")) == 20
    assert len(rows(server, "ann", limit=1)) == 1


def test_a_page_has_its_bounds(server: Server) -> None:
    for query, field, constraint in (
        ({"limit": 0}, "limit", "range"), ({"limit": 101}, "limit", "range"),
        ({"limit": "x"}, "limit", "number"), ({"after": "x" * 129}, "after", "max_length"),
    ):  # fmt: skip
        answer = server.http.get(PLACE, params=query, headers=server.token())
        details = is_refused(answer, 400, "INVALID_REQUEST")
        assert details == {"field": field, "constraint": constraint}
    assert rows(server, "ann", after="nonsense") == []


def test_without_credentials_one_may_rate_but_is_told_nothing(
    start: Callable[..., Server], clock: Clock
) -> None:
    server = start({"AUTH": "required"}, clock=clock)
    site = made(server)
    id = answered(server, clock, site)
    assert server.http.post(PLACE, json=sent(id), headers={"X-Site": site.id}).is_success
    assert is_refused(server.http.get(PLACE), 401, "UNAUTHORIZED") is None


def test_of_ratings_at_once_one_counts_whole(server: Server, clock: Clock) -> None:
    site = made(server)
    id = answered(server, clock, site)
    calls = [
        lambda n=n: rate(server, site, id, helpful=n % 2 == 0, comment=str(n)) for n in range(8)
    ]
    assert all(answer.is_success for answer in at_once(calls))
    [row] = rows(server, "ann")
    assert row["helpful"] == (int(row["comment"]) % 2 == 0)


def test_what_was_said_is_not_logged(server: Server, clock: Clock) -> None:
    site = made(server)
    answer = rate(server, site, answered(server, clock, site), comment="Out of date.")
    line = json.dumps(server.line(answer))
    assert answer.is_success
    assert not any(text in line for text in ("Out of date", "When does", SESSION, "127.0.0.1"))
