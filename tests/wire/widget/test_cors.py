"""Pages of any origin, over HTTP: what they may call and read, embedded and in Lambda."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from rag.runtime.http import gateway_handler
from rag.wire import widget
from tests.conftest import Server
from tests.unit.functions.conftest import Context, http_event

FRIEND = "https://friend.example"  # of the operator
PAGE = "https://docs.example"  # of the site
STRANGER = "https://stranger.example"
FEEDBACK, SITES = "/api/v1/feedback", "/api/v1/sites"
PUBLIC = [("POST", "/api/v1/chat"), ("POST", FEEDBACK), ("GET", f"{SITES}/demo/look")]
OWNERS = [("GET", FEEDBACK), ("GET", SITES), ("POST", SITES), ("DELETE", f"{SITES}/site_0")]
BODY = {"answer_id": "ans_0", "session_id": "550e8400-e29b-41d4-a716-446655440000", "helpful": True}

Call = Callable[..., httpx.Response]


@pytest.fixture(params=["open", "required"])
def server(start: Callable[..., Server], request: pytest.FixtureRequest) -> Server:
    return start({"AUTH": request.param, "CORS_ORIGINS": FRIEND})


@pytest.fixture(params=["embedded", "lambda"])
def call(server: Server, request: pytest.FixtureRequest) -> Call:
    """Calls as anybody, by either runtime."""
    if request.param == "embedded":
        return lambda method, path, body=None, **headers: server.http.request(
            method, path, json=body, headers=headers
        )
    routers = [widget.chat, widget.feedback, widget.sites]
    handle = gateway_handler(server.footnote, server.settings, routers, server.lines.append)

    def invoked(method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
        event = http_event(method, path, body)
        event["requestContext"]["authorizer"] = {"principalId": "anonymous"}
        event["headers"] |= headers
        event["multiValueHeaders"] |= {name: [value] for name, value in headers.items()}
        answer = handle(event, Context())
        told = answer["headers"]
        return httpx.Response(answer["statusCode"], headers=told, content=answer["body"].encode())

    return invoked


@pytest.fixture
def site(server: Server) -> str:
    return server.footnote.sites.create("acme", "ann", "Docs", [PAGE], [], {}).id


def allowed(answer: httpx.Response, what: str) -> str | None:
    value: str | None = answer.headers.get(f"access-control-allow-{what}")
    return value


def test_any_page_may_ask_whether_it_may_call_what_is_anybodys(call: Call) -> None:
    for method, path in PUBLIC:
        asked = {"Origin": STRANGER, "Access-Control-Request-Method": method}
        asked["Access-Control-Request-Headers"] = "authorization,content-type,x-site"
        answer = call("OPTIONS", path, **asked)
        assert answer.status_code == 200
        assert allowed(answer, "origin") == STRANGER
        assert method in str(allowed(answer, "methods"))
        headers = {*str(allowed(answer, "headers")).split(", ")}
        assert headers == {"authorization", "content-type", "x-request-id", "x-site"}
        assert answer.headers["access-control-max-age"] == "600"
        assert answer.headers["vary"] == "Origin"
        assert allowed(answer, "credentials") is None


def test_a_page_of_the_site_may_read_answers_and_refusals(call: Call, site: str) -> None:
    sent = {"X-Site": site, "Origin": PAGE}
    answers = [
        (200, call("GET", f"{SITES}/{site}/look", **sent)),
        (400, call("POST", FEEDBACK, {}, **sent)),
        (404, call("POST", FEEDBACK, BODY, **sent)),
        (404, call("GET", f"{SITES}/site_0/look", **sent)),
        (415, call("POST", FEEDBACK, BODY, **sent, **{"Content-Type": "text/plain"})),
    ]
    for status, answer in answers:
        assert answer.status_code == status, answer.text
        assert allowed(answer, "origin") == PAGE
        assert allowed(answer, "credentials") is None
        assert answer.headers["vary"] == "Origin"
        exposed = answer.headers["access-control-expose-headers"]
        assert exposed == "X-Request-ID, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining"


def test_a_page_of_another_origin_is_refused_and_cannot_read_why(call: Call, site: str) -> None:
    for origin in (STRANGER, FRIEND, "null", f"{PAGE}.evil.example", PAGE.upper(), f"{PAGE}:8080"):
        answer = call("POST", FEEDBACK, BODY, **{"X-Site": site, "Origin": origin})
        assert answer.status_code == 403
        assert answer.json()["error"]["code"] == "FORBIDDEN"
        assert allowed(answer, "origin") is None
        assert answer.headers["vary"] == "Origin"


def test_the_demos_site_has_no_origins_of_its_own(call: Call) -> None:
    for origin in (STRANGER, "null"):
        answer = call("POST", FEEDBACK, BODY, Origin=origin)
        assert answer.status_code == 404
        assert allowed(answer, "origin") == origin


def test_who_is_no_page_is_served(call: Call, site: str) -> None:
    answer = call("POST", FEEDBACK, BODY, **{"X-Site": site})
    assert answer.status_code == 404
    assert answer.json()["error"]["message"].startswith("There is no such answer")
    assert allowed(answer, "origin") is None
    assert answer.headers["vary"] == "Origin"


def test_what_is_the_owners_is_for_pages_of_the_operator_alone(server: Server, call: Call) -> None:
    for method, path in OWNERS:
        answer = call(method, path, Origin=STRANGER)
        # Where credentials are required, a page has none that it could send unasked.
        assert answer.status_code in (401, 403)
        assert allowed(answer, "origin") is None
        asked = {"Access-Control-Request-Method": method}
        refused = call("OPTIONS", path, Origin=STRANGER, **asked)
        assert refused.status_code >= 400
        assert allowed(refused, "origin") is None
        answer = call("OPTIONS", path, Origin=FRIEND, **asked)
        assert (answer.status_code, allowed(answer, "origin")) == (200, FRIEND)


def test_a_bad_token_is_told_to_the_page_that_sent_it(server: Server, site: str) -> None:
    headers = {"X-Site": site, "Origin": PAGE, "Authorization": "Bearer expired"}
    answer = server.http.post(FEEDBACK, json=BODY, headers=headers)
    assert answer.status_code == 401
    assert allowed(answer, "origin") == PAGE


def test_a_foreign_page_cannot_make_a_laptops_owner_publish_anything(
    start: Callable[..., Server],
) -> None:
    server = start({"CORS_ORIGINS": FRIEND})
    body = {"name": "Mine", "origins": [STRANGER], "data_sources": ["default"]}
    for headers in ({"Origin": STRANGER}, {"Sec-Fetch-Site": "cross-site"}):
        answer = server.http.post(SITES, json=body, headers=headers)
        assert answer.status_code == 403
        assert answer.json()["error"]["code"] == "FORBIDDEN"
    assert server.http.get(SITES).json() == {"sites": []}
