"""Whatever goes wrong on the widget's paths, the answer has the widget's shape."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from rag.adapters.embedded.database import Database
from rag.errors import GenerationFailed, IndexUnavailable, Unavailable
from rag.query.visit import Visiting
from tests.conftest import Server

JSON = {"Content-Type": "application/json"}
CHAT, FEEDBACK, SITES = "/api/v1/chat", "/api/v1/feedback", "/api/v1/sites"
POSTS = [CHAT, FEEDBACK, SITES]
SESSION = "550e8400-e29b-41d4-a716-446655440000"
ASKED = {
    "message": "When do newts sleep?",
    "context": {"mode": "browse", "session_id": SESSION},
    "tier": "anonymous",
}


def error(answer: httpx.Response, status: int, code: str) -> Any:
    """The details of an error, which is as the contract has it."""
    assert answer.status_code == status, answer.text
    assert list(answer.json()) == ["error"]
    told = answer.json()["error"]
    assert list(told) == ["code", "message", "details"]
    assert told["code"] == code
    assert told["message"]
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-request-id"]
    return told["details"]


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize(
    "body",
    [b"{", b"nonsense", b'{"a": NaN}', b'{"a": 1e999}', b"\xff\xfe", b"[" * 100_000,
     b'{"a": "\\ud800"}', b'{"a": 1} trailing'],
)  # fmt: skip
def test_malformed_json(http: httpx.Client, path: str, body: bytes) -> None:
    answer = http.post(path, content=body, headers=JSON)
    details = error(answer, 400, "INVALID_REQUEST")
    assert details == {"field": "body", "constraint": "valid_json"}


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize(
    ("body", "constraint"),
    [(b"", "required"), (b"null", "required"), (b"[]", "object"), (b"5", "object")],
)
def test_json_that_is_no_object(
    http: httpx.Client, path: str, body: bytes, constraint: str
) -> None:
    answer = http.post(path, content=body, headers=JSON)
    details = error(answer, 400, "INVALID_REQUEST")
    assert details == {"field": "body", "constraint": constraint}


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("type", ["text/plain", "application/x-www-form-urlencoded", None])
def test_another_content_type(http: httpx.Client, path: str, type: str | None) -> None:
    answer = http.post(path, content=b"{}", headers={"Content-Type": type} if type else {})
    assert error(answer, 415, "UNSUPPORTED_MEDIA_TYPE") is None


@pytest.mark.parametrize("path", ["/api/v1/", "/api/v1/nothing", "/api/v1/chat/", "/api/v1/%00"])
def test_an_unknown_path(http: httpx.Client, path: str) -> None:
    assert error(http.get(path), 404, "NOT_FOUND") is None


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", CHAT), ("PUT", CHAT), ("DELETE", FEEDBACK), ("PUT", SITES), ("OPTIONS", CHAT),
     ("POST", f"{SITES}/site_0"), ("DELETE", f"{SITES}/site_0/look")],
)  # fmt: skip
def test_a_wrong_method(http: httpx.Client, method: str, path: str) -> None:
    answer = http.request(method, path)
    assert error(answer, 405, "METHOD_NOT_ALLOWED") is None
    assert answer.headers["allow"]


@pytest.mark.parametrize("announced", [True, False])
def test_a_body_over_six_megabytes(http: httpx.Client, announced: bool) -> None:
    body = b'{"message": "' + b"x" * (6 * 1024 * 1024) + b'"}'
    content: Any = (
        body if announced else (body[at : at + 65536] for at in range(0, len(body), 65536))
    )
    answer = http.post(CHAT, content=content, headers=JSON)
    assert error(answer, 413, "PAYLOAD_TOO_LARGE") is None


def test_a_name_that_is_not_this_machines(http: httpx.Client) -> None:
    answer = http.post(CHAT, json=ASKED, headers={"Host": "evil.example"})
    assert error(answer, 403, "FORBIDDEN") is None


@pytest.mark.parametrize("path", [CHAT, FEEDBACK, SITES])
def test_bad_credentials(http: httpx.Client, path: str) -> None:
    answer = http.post(path, json=ASKED, headers={"Authorization": "Bearer nonsense"})
    assert error(answer, 401, "UNAUTHORIZED") is None
    assert answer.json()["error"]["message"] == "Invalid or expired session token"
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    ("method", "path"), [("GET", SITES), ("POST", SITES), ("GET", FEEDBACK), ("GET", CHAT)]
)
def test_no_credentials_where_owners_alone_may(
    start: Callable[..., Server], method: str, path: str
) -> None:
    http = start({"AUTH": "required"}).http
    assert error(http.request(method, path), 401, "UNAUTHORIZED") is None


def broken(monkeypatch: pytest.MonkeyPatch, raised: Exception) -> None:
    def ask(*_: object) -> None:
        raise raised

    monkeypatch.setattr(Visiting, "ask", ask)


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
def test_a_bug_of_ours_tells_nothing(
    server: Server, monkeypatch: pytest.MonkeyPatch, accept: str
) -> None:
    broken(monkeypatch, RuntimeError("the document said: secret"))
    answer = server.http.post(CHAT, json=ASKED, headers={"Accept": accept})
    assert error(answer, 500, "INTERNAL_ERROR") is None
    told = answer.json()["error"]["message"]
    assert told == "An unexpected error occurred. Please try again."
    assert server.line(answer)["failure"]["type"] == "RuntimeError"
    assert "secret" not in str(server.lines)


@pytest.mark.parametrize("raised", [IndexUnavailable("x"), GenerationFailed("y"), Unavailable("z")])
@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
def test_a_part_that_is_down(
    server: Server, monkeypatch: pytest.MonkeyPatch, raised: Exception, accept: str
) -> None:
    broken(monkeypatch, raised)
    answer = server.http.post(CHAT, json=ASKED, headers={"Accept": accept})
    assert error(answer, 503, "SERVICE_UNAVAILABLE") == {"retry_after": 30}
    assert answer.json()["error"]["message"] == "RAG service is temporarily unavailable"
    assert answer.headers["retry-after"] == "30"
    # It has come in, and that is counted.
    assert answer.headers["x-ratelimit-remaining"] == "9"


def test_who_cannot_be_counted_is_not_let_in(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(*_: object, **__: object) -> None:
        raise Unavailable("The table does not answer.")

    monkeypatch.setattr(Database, "transaction", down)
    answer = server.http.post(CHAT, json=ASKED)
    assert error(answer, 503, "SERVICE_UNAVAILABLE") == {"retry_after": 30}


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
def test_a_part_that_is_stuck(server: Server, monkeypatch: pytest.MonkeyPatch, accept: str) -> None:
    """27 s before the gateway's 29, here a fifth of one."""
    done = threading.Event()

    def stuck(*_: object) -> None:
        done.wait(30)

    monkeypatch.setattr(Visiting, "ask", stuck)
    monkeypatch.setattr("rag.wire.route.SECONDS_PER_REQUEST", 0.2)
    monkeypatch.setattr("rag.wire.route.GRACE_SECONDS", 0.1)
    try:
        answer = server.http.post(CHAT, json=ASKED, headers={"Accept": accept})
        assert error(answer, 503, "SERVICE_UNAVAILABLE") == {"retry_after": 30}
    finally:
        done.set()
