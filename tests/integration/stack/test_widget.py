"""The widget's API through the gateway: anybody's, within limits, for the pages of a site."""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any
from uuid import uuid4

import httpx
import pytest

from infra.local.edge import KEY_HEADER
from rag.limits import PER_MINUTE
from rag.model import Tier
from tests.integration.stack.conftest import Org

pytestmark = pytest.mark.integration

CHAT, FEEDBACK, SITES = "/api/v1/chat", "/api/v1/feedback", "/api/v1/sites"
PAGE, STRANGER = "https://docs.example", "https://evil.example"
TEXT = "The warranty of the kettle ends after twenty-four months."

# Each process of a run has its own: they share the stack.
WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
ADDRESSES = (f"127.{WORKER + 7}.{one // 250}.{one % 250 + 1}" for one in count())


def asked(message: str, **more: Any) -> dict[str, Any]:
    context = {"mode": "browse", "session_id": str(uuid4())}
    return {"message": message, "context": context, "tier": "anonymous", **more}


def site(org: Org, *sources: str) -> str:
    """The id of a new site of these sources."""
    body = {"name": "Docs", "origins": [PAGE], "data_sources": sources}
    made = org.http.post(SITES, json=body)
    assert made.status_code == 201, made.text
    id: str = made.json()["id"]
    return id


@pytest.fixture
def kettles(org: Org) -> str:
    """A site that knows of kettles."""
    source = org.source("public")
    done = org.ended(org.send(source, {"id": "kettle", "title": "Kettle", "text": TEXT})["jobId"])
    assert done["status"] == "completed", done
    return site(org, source)


@pytest.fixture
def visitor(org: Org) -> httpx.Client:
    """Somebody without credentials, whom no other test has ever seen."""
    return org.running.client(address=next(ADDRESSES))


def test_a_page_asks_and_is_answered_with_sources(
    org: Org, kettles: str, visitor: httpx.Client
) -> None:
    headers = {"X-Site": kettles, "Origin": PAGE}
    question = asked("When does the warranty of the kettle end?")
    answer = visitor.post(CHAT, json=question, headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["access-control-allow-origin"] == PAGE
    assert (answer.headers["x-ratelimit-limit"], answer.headers["x-ratelimit-remaining"]) == (
        "10",
        "9",
    )
    told = answer.json()
    assert "twenty-four months" in told["answer"]
    assert [one["title"] for one in told["sources"]] == ["Kettle"]

    streamed = visitor.post(CHAT, json=question, headers=headers | {"Accept": "text/event-stream"})
    events = [json.loads(one.removeprefix("data: ")) for one in streamed.text.strip().split("\n\n")]
    assert {one["type"] for one in events} == {"chunk", "sources", "complete"}
    assert events[-1]["answer"] == told["answer"]
    assert events[-1]["sources"] == told["sources"]

    session = question["context"]["session_id"]
    rating = {"answer_id": told["answer_id"], "session_id": session, "helpful": False}
    assert visitor.post(FEEDBACK, json=rating, headers=headers).status_code == 200
    assert visitor.get(FEEDBACK).status_code == 401
    [row] = org.http.get(FEEDBACK).json()["feedback"]
    assert (row["question"], row["helpful"]) == (question["message"], False)

    refused = visitor.post(CHAT, json=question, headers=headers | {"Origin": STRANGER})
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "FORBIDDEN")
    assert "access-control-allow-origin" not in refused.headers


def test_without_a_site_of_its_own_a_stack_shows_nothing(visitor: httpx.Client) -> None:
    answer = visitor.post(CHAT, json=asked("When does the warranty of the kettle end?"))
    assert answer.status_code == 200, answer.text
    assert answer.json()["sources"] == []


def test_a_page_may_ask_before_it_calls(visitor: httpx.Client) -> None:
    wanted = {"Access-Control-Request-Method": "POST", "Origin": PAGE}
    answer = visitor.options(CHAT, headers=wanted)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] in ("*", PAGE)
    assert "access-control-allow-credentials" not in answer.headers
    assert "POST" in answer.headers["access-control-allow-methods"]
    assert "x-site" in answer.headers["access-control-allow-headers"].lower()


def mistakes(org: Org, visitor: httpx.Client) -> Iterator[tuple[httpx.Response, int]]:
    """Calls that are refused, by the gateway or by a function, and how."""
    json_body = {"Content-Type": "application/json"}
    forged = {"Authorization": f"Bearer {org.token()[:-4]}AAAA"}
    yield visitor.post(CHAT, content="{", headers=json_body), 400
    yield visitor.post(CHAT, json=asked("")), 400
    yield visitor.post(CHAT, json=asked("?", tier="premium")), 401
    yield visitor.post(CHAT, json=asked("?"), headers=forged), 401
    yield visitor.get(SITES), 401
    yield org.http.get("/api/v1/nothing"), 404
    yield org.http.put(CHAT, json=asked("?")), 404
    yield visitor.post(CHAT, json=asked("?"), headers={"X-Site": "site_0"}), 404
    yield visitor.post(CHAT, content="x=1", headers={"Content-Type": "text/plain"}), 415


def test_mistakes_are_told_in_the_widgets_shape(org: Org, visitor: httpx.Client) -> None:
    for answer, status in mistakes(org, visitor):
        assert answer.status_code == status, answer.text
        assert answer.headers["x-request-id"]
        assert list(answer.json()) == ["error"]
        error = answer.json()["error"]
        assert list(error) == ["code", "message", "details"]
        assert (error["details"] is None) == (status != 400)


def test_nobody_comes_more_often_than_the_tier_may(org: Org) -> None:
    """In real time, whence it takes a minute: several at once, with every header that could say
    where a call is from."""
    nothing = site(org)  # is shown, so that an answer costs little
    callers = {tier: _caller(org, tier) for tier in PER_MINUTE}
    # The unlimited first: the emulator makes as many of each function as are called at once.
    unlimited_first = sorted(PER_MINUTE, key=lambda tier: PER_MINUTE[tier] or 0)
    calls = [tier for tier in unlimited_first for _ in range((PER_MINUTE[tier] or 10) + 5)]

    def ask(tier: Tier) -> tuple[float, float, httpx.Response]:
        """When it was asked, when it was answered, and what."""
        forged = f"203.0.113.{secrets.randbelow(256)}"
        headers = {"X-Site": nothing, "X-Forwarded-For": forged, "Forwarded": f"for={forged}"}
        headers |= {"X-Real-IP": forged, "X-Amzn-Request-Context": "{}"}
        begun = time.monotonic()
        answer = callers[tier].post(CHAT, json=asked("?", tier=tier), headers=headers)
        return begun, time.monotonic(), answer

    with ThreadPoolExecutor(4) as pool:
        answers = list(zip(calls, pool.map(ask, calls), strict=True))
    for tier, limit in PER_MINUTE.items():
        own = [told for name, told in answers if name == tier]
        first = min(begun for begun, _, _ in own)
        in_time = [answer.status_code for _, at, answer in own if at < first + 60]
        assert set(in_time) <= ({200} if limit is None else {200, 429}), tier
        if limit is not None:
            assert in_time.count(200) <= limit, tier
            assert in_time.count(200) == limit or len(in_time) < len(own), tier
    # As soon as whoever was refused was told to come again.
    _, at, refused = next(
        told for tier, told in answers if tier == "anonymous" and told[2].status_code == 429
    )
    details = refused.json()["error"]["details"]
    assert details["limit"] == "10 requests per minute (anonymous tier)"
    assert refused.headers["retry-after"] == str(details["retry_after"])
    time.sleep(max(0, at + details["retry_after"] - time.monotonic()))
    assert ask("anonymous")[2].status_code == 200


def _caller(org: Org, tier: Tier) -> httpx.Client:
    if tier == "anonymous":
        return org.running.client(address=next(ADDRESSES))
    # Past the edge, which would ask the authorizer beforehand: that takes as long as the rest.
    key = {KEY_HEADER: f"{org.running.settings['TIER_KEYS']}-{tier}"}
    bearer = {"Authorization": f"Bearer {org.token(f'a {tier} visitor', tier=tier)}"}
    return org.running.client(org.running.stack.gateway("WidgetApiId"), **bearer, **key)
