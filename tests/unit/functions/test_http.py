"""HTTP functions: the routers behind API Gateway's events."""

from __future__ import annotations

import base64
import json
from itertools import count
from typing import Any

import pytest

from tests.unit.functions.conftest import ANN, Call, http_event

DOCUMENT = {
    "source": "wiki",
    "path": "kettle.md",
    "title": "Kettle",
    "text": "The warranty of the kettle ends after twenty-four months.",
}
ASKED = {
    "message": "When does the warranty of the kettle end?",
    "context": {"mode": "browse", "session_id": "550e8400-e29b-41d4-a716-446655440000"},
    "tier": "anonymous",
}
QUESTION = {"query": "When does the warranty of the kettle end?"}


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def body(answer: dict[str, Any], status: int = 200) -> Any:
    assert answer["statusCode"] == status, answer
    return json.loads(answer["body"])


def test_a_document_is_ingested_found_asked_about_listed_and_deleted(call: Call) -> None:
    created = body(call("ingest", http_event("POST", "/api/rag/ingest", DOCUMENT)))
    assert created["status"] == "created"
    found = body(call("search", http_event("POST", "/api/rag/search", QUESTION)))
    assert found["results"][0]["metadata"]["documentId"] == created["documentId"]
    chat = {"messages": [{"role": "user", "content": QUESTION["query"]}], "useRag": True}
    assert "twenty-four" in call("chat", http_event("POST", "/api/chat", chat))["body"]
    listed = body(call("ingest", http_event("GET", "/api/rag/documents")))
    assert [one["documentId"] for one in listed["documents"]] == [created["documentId"]]
    path = f"/api/rag/documents/{created['documentId']}"
    body(call("ingest", http_event("DELETE", path)))
    body(call("ingest", http_event("GET", path)), 404)


def test_what_functions_did_another_tells(call: Call) -> None:
    body(call("ingest", http_event("POST", "/api/rag/ingest", DOCUMENT)))
    body(call("search", http_event("POST", "/api/rag/search", QUESTION)))
    body(call("chat", http_event("POST", "/api/rag/query", QUESTION)))
    *_, today = body(call("jobs", http_event("GET", "/api/rag/usage")))["days"]
    assert (today["ingested"], today["searches"], today["questions"]) == (1, 1, 1)


def test_a_base64_body_is_read(call: Call) -> None:
    event = http_event("POST", "/api/rag/search")
    event |= {"body": base64.b64encode(json.dumps(QUESTION).encode()).decode()}
    event |= {"isBase64Encoded": True}
    assert body(call("search", event))["resultCount"] == 0


@pytest.mark.parametrize("context", [None, {}, {"principalId": "ann"}])
def test_without_the_authorizer_nobody_is_let_in(call: Call, context: Any) -> None:
    event = http_event("POST", "/api/rag/search", QUESTION)
    event["requestContext"]["authorizer"] = context
    event["headers"] |= {"sub": "ann", "org": "acme", "x-amzn-request-context": json.dumps(ANN)}
    assert body(call("search", event), 401)["error"] == "Unauthorized"


def test_another_org_sees_nothing(call: Call) -> None:
    body(call("ingest", http_event("POST", "/api/rag/ingest", DOCUMENT)))
    event = http_event("POST", "/api/rag/search", QUESTION)
    event["requestContext"]["authorizer"] = {**ANN, "org": "other"}
    event["headers"] |= {"org": "acme"}
    assert body(call("search", event))["resultCount"] == 0


def test_a_context_that_is_not_as_agreed_is_our_mistake(call: Call) -> None:
    event = http_event("POST", "/api/rag/search", QUESTION)
    event["requestContext"]["authorizer"] = {"sub": "ann"}
    body(call("search", event), 500)


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"body": "{"}, 400),
        ({"body": None}, 400),
        ({"headers": {"Content-Type": "text/plain"}, "multiValueHeaders": None}, 415),
        ({"path": "/api/rag/nothing"}, 404),
        ({"httpMethod": "PUT"}, 405),
        ({"body": "x" * (6 * 1024 * 1024 + 1)}, 413),
    ],
)
def test_what_is_wrong_is_answered_as_everywhere(
    call: Call, change: dict[str, Any], status: int
) -> None:
    answer = call("search", http_event("POST", "/api/rag/search", QUESTION) | change)
    assert set(body(answer, status)) == {"error", "message", "details"}


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/api/v1/nothing", 404, "NOT_FOUND"),
        ("PUT", "/api/v1/chat", 405, "METHOD_NOT_ALLOWED"),
        ("POST", "/api/v1/chat", 400, "INVALID_REQUEST"),
    ],
)
def test_what_is_wrong_on_the_widgets_paths_has_its_shape(
    call: Call, method: str, path: str, status: int, code: str
) -> None:
    answer = call("chat", http_event(method, path, {}))
    assert body(answer, status)["error"]["code"] == code


def test_a_visitor_is_whom_the_gateway_saw_and_no_owner(call: Call) -> None:
    def visit(path: str, function: str, address: str, method: str = "POST") -> Any:
        event = http_event(method, path, ASKED if method == "POST" else None)
        event["requestContext"] |= {"authorizer": {}, "identity": {"sourceIp": address}}
        event["headers"] |= {"X-Forwarded-For": f"203.0.113.{next(forged)}", "sub": "ann"}
        return call(function, event)

    forged = count()
    for left in reversed(range(10)):
        answer = visit("/api/v1/chat", "chat", "192.0.2.7")
        assert body(answer)["sources"] == []
        assert answer["headers"]["x-ratelimit-remaining"] == str(left)
    refused = visit("/api/v1/chat", "chat", "192.0.2.7")
    assert body(refused, 429)["error"]["code"] == "RATE_LIMIT_EXCEEDED"
    body(visit("/api/v1/chat", "chat", "192.0.2.8"))
    for function, path in (("sources", "/api/v1/sites"), ("chat", "/api/v1/feedback")):
        closed = visit(path, function, "192.0.2.9", "GET")
        assert body(closed, 401)["error"]["code"] == "UNAUTHORIZED"


def test_the_callers_request_id_comes_back(call: Call) -> None:
    event = http_event("POST", "/api/rag/search", QUESTION)
    event["multiValueHeaders"]["X-Request-ID"] = ["mine"]
    assert call("search", event)["headers"]["x-request-id"] == "mine"


def test_pages_of_listed_origins_may_read_answers(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORS_ORIGINS", "https://app.example")
    for origin, allowed in (("https://app.example", True), ("https://evil.example", False)):
        event = http_event("POST", "/api/rag/search", QUESTION)
        event["headers"]["Origin"] = origin
        headers = call("search", event)["headers"]
        assert ("access-control-allow-origin" in headers) is allowed


def test_a_request_is_one_line_that_knows_its_invocation(
    call: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    call("search", http_event("POST", "/api/rag/search", QUESTION))
    request, _ = lines(capsys)
    assert request["message"] == "request"
    assert request["function_name"] == "search"
    assert (request["function_request_id"], request["gateway_request_id"]) == (
        "lambda-1",
        "gateway-1",
    )
    assert "cold_start" in request
    assert QUESTION["query"] not in json.dumps(request)


def test_metrics_are_written_once(call: Call, capsys: pytest.CaptureFixture[str]) -> None:
    call("ingest", http_event("POST", "/api/rag/ingest", DOCUMENT))
    _, ingested = lines(capsys)
    assert (ingested["Ingested"], ingested["function"]) == ([1.0], "ingest")
    assert ingested["service"].startswith("footnote")
    assert ingested["EmbedMilliseconds"][0] > 0
    chat = {"messages": [{"role": "user", "content": "Who invented zippers?"}], "useRag": True}
    call("chat", http_event("POST", "/api/chat", chat))
    _, asked = lines(capsys)
    assert (asked["Questions"], asked["Abstained"]) == ([1.0], [1.0])


def test_a_sampled_call_is_traced_and_any_other_loads_no_sdk(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without a daemon: what is sent to it is lost, and nobody minds.
    monkeypatch.setenv("AWS_XRAY_DAEMON_ADDRESS", "127.0.0.1:9")
    monkeypatch.setenv("POWERTOOLS_TRACE_DISABLED", "true")
    root = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled="
    for sampled in "01":
        monkeypatch.setenv("_X_AMZN_TRACE_ID", root + sampled)
        body(call("search", http_event("POST", "/api/rag/search", QUESTION)))
