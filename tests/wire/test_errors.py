"""Whatever goes wrong, the answer has the shape that callers know (v3 §5)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from rag.adapters.embedded.database import Database
from rag.errors import EmbeddingFailed, IndexUnavailable
from tests.conftest import Server

JSON = {"Content-Type": "application/json"}
ROUTES = ["/api/rag/ingest", "/api/rag/search", "/api/chat"]
POSTS = [*ROUTES, "/api/rag/uploads", "/api/rag/sources"]


def is_an_error(answer: httpx.Response, status: int, error: str) -> None:
    assert answer.status_code == status
    body = answer.json()
    assert set(body) - {"code"} == {"error", "message", "details"}
    assert body["error"] == error
    assert body["message"]
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-request-id"]


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize(
    "body",
    [b"{", b"", b"nonsense", b'{"a": NaN}', b'{"a": 1e999}', b'{"b": Infinity}', b"\xff\xfe",
     b"[" * 100_000, b'{"n": ' + b"9" * 5000 + b"}", b'{"a": 1} trailing'],
)  # fmt: skip
def test_malformed_json_is_a_validation_error(http: httpx.Client, path: str, body: bytes) -> None:
    answer = http.post(path, content=body, headers=JSON)
    is_an_error(answer, 400, "Validation error")
    assert answer.json()["details"]["field"] == "body"


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("body", [b"[]", b'"text"', b"5", b"null", b"[null]", b"true"])
def test_json_that_is_no_object_is_a_validation_error(
    http: httpx.Client, path: str, body: bytes
) -> None:
    answer = http.post(path, content=body, headers=JSON)
    is_an_error(answer, 400, "Validation error")
    assert answer.json()["details"]["field"] == "body"
    assert answer.json()["message"] in ("body must be an object", "body is required")


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize(
    "type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None]
)
def test_another_content_type_is_refused(http: httpx.Client, path: str, type: str | None) -> None:
    answer = http.post(
        path, content=b'{"query": "x"}', headers={"Content-Type": type} if type else {}
    )
    is_an_error(answer, 415, "Unsupported media type")


@pytest.mark.parametrize(
    "type", ["application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.api+json"]
)
def test_json_by_any_of_its_names_is_read(http: httpx.Client, type: str) -> None:
    answer = http.post("/api/rag/search", content=b'{"query": "x"}', headers={"Content-Type": type})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/api/rag/documents/",
        "/api",
        "/api/rag",
        "/api/rag/nothing",
        "/api/rag/search/x",
        "/%00",
        "/a" * 2000,
    ],
)
def test_an_unknown_path_is_not_found(http: httpx.Client, path: str) -> None:
    is_an_error(http.get(path), 404, "Not found")


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/api/rag/search"), ("PUT", "/api/chat"), ("DELETE", "/api/rag/ingest"),
     ("POST", "/health"), ("PATCH", "/api/rag/documents"), ("OPTIONS", "/api/chat"),
     ("PUT", "/api/rag/ingest/job_0"), ("GET", "/api/rag/uploads"), ("GET", "/uploads")],
)  # fmt: skip
def test_a_wrong_method_is_not_allowed_and_told_which_is(
    http: httpx.Client, method: str, path: str
) -> None:
    answer = http.request(method, path)
    is_an_error(answer, 405, "Method not allowed")
    assert answer.headers["allow"]


@pytest.mark.parametrize("announced", [True, False])
def test_a_body_over_six_megabytes_is_too_large(http: httpx.Client, announced: bool) -> None:
    body = b'{"query": "' + b"x" * (6 * 1024 * 1024) + b'"}'
    content: Any = (
        body if announced else (body[at : at + 65536] for at in range(0, len(body), 65536))
    )
    is_an_error(
        http.post("/api/rag/search", content=content, headers=JSON), 413, "Payload too large"
    )


def test_a_bug_of_ours_is_a_500_that_tells_nothing(start: Callable[..., Server]) -> None:
    class Broken:
        name = "broken"

        def answer(self, ask: object) -> None:
            raise RuntimeError("the document said: secret")

    server = start(answerer=Broken())
    answer = server.http.post("/api/chat", json={"message": "hi"})
    is_an_error(answer, 500, "Internal server error")
    assert "secret" not in answer.text
    assert server.line(answer)["failure"]["type"] == "RuntimeError"
    assert "secret" not in str(server.lines)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (EmbeddingFailed("no model"), "EMBEDDING_FAILED"),
        (IndexUnavailable("no index"), "INDEX_UNAVAILABLE"),
    ],
)
@pytest.mark.parametrize("path", ROUTES)
def test_a_part_that_is_down_is_a_503_with_its_code(
    start: Callable[..., Server], minilm: Any, error: Exception, code: str, path: str
) -> None:
    class Down:
        model, dimension, calibration = minilm.model, minilm.dimension, minilm.calibration

        def windows(self, *_: Any) -> Any:
            raise error

        embed = windows

    bodies = {
        "/api/rag/ingest": {"source": "s", "path": "p", "title": "t", "text": "x"},
        "/api/rag/search": {"query": "q"},
        "/api/chat": {"message": "m", "useRag": True},
    }
    server = start(embedder=Down())
    answer = server.http.post(path, json=bodies[path])
    is_an_error(answer, 503, "Service unavailable")
    assert answer.json()["code"] == code
    assert server.http.get("/api/rag/documents").json()["documents"] == []


def test_a_request_id_of_the_caller_comes_back_and_a_harmful_one_does_not(
    http: httpx.Client,
) -> None:
    assert (
        http.get("/health", headers={"X-Request-ID": "abc-123"}).headers["x-request-id"]
        == "abc-123"
    )
    long = http.get("/health", headers={"X-Request-ID": "x" * 500}).headers["x-request-id"]
    assert len(long) == 36
    assert (
        http.get("/health").headers["x-request-id"] != http.get("/health").headers["x-request-id"]
    )


def test_a_part_that_is_stuck_does_not_keep_the_caller_waiting(
    start: Callable[..., Server], minilm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gateway's 29 s must never be reached, whatever hangs."""
    released = threading.Event()

    class Stuck:
        model, dimension, calibration = minilm.model, minilm.dimension, minilm.calibration
        windows = minilm.windows

        def embed(self, texts: Any) -> Any:
            released.wait(60)
            return minilm.embed(texts)

    monkeypatch.setattr("rag.wire.route.SECONDS_PER_REQUEST", 0.2)
    monkeypatch.setattr("rag.wire.route.GRACE_SECONDS", 0.1)
    server = start(embedder=Stuck())
    body = {"source": "s", "path": "p", "title": "t", "text": "x"}
    answer = server.http.post("/api/rag/ingest", json=body)
    is_an_error(answer, 503, "Service unavailable")
    released.set()
    monkeypatch.setattr("rag.wire.route.SECONDS_PER_REQUEST", 27)
    assert server.http.post("/api/rag/search", json={"query": "x"}).json()["resultCount"] == 0
    assert server.http.get("/api/rag/documents").json()["documents"] == []


@pytest.mark.parametrize("path", ROUTES)
def test_a_database_that_is_locked_for_long_is_a_503(
    start: Callable[..., Server], monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr("rag.adapters.embedded.database.BUSY_TIMEOUT_MS", 50)
    server = start()
    bodies = {
        "/api/rag/ingest": {"source": "s", "path": "p", "title": "t", "text": "x"},
        "/api/rag/search": {"query": "q"},
        "/api/chat": {"message": "m", "useRag": True},
    }
    with Database(server.settings.data_dir / "footnote.sqlite").transaction():
        answer = server.http.post(path, json=bodies[path])
    assert answer.status_code == (200 if path == "/api/rag/search" else 503)
    assert server.http.post(path, json=bodies[path]).status_code == 200


@pytest.mark.parametrize(
    "filters",
    [
        '{"tags": [' + ",".join(["0"] * 200_000) + "]}",
        "{" + ",".join(f'"k{n}":0' for n in range(200_000)) + "}",
    ],
)
def test_a_million_mistakes_are_answered_like_one(http: httpx.Client, filters: str) -> None:
    body = '{"query": "x", "filters": ' + filters + "}"
    answer = http.post("/api/rag/search", content=body.encode(), headers=JSON)
    is_an_error(answer, 400, "Validation error")
    assert len(answer.content) < 1000


def test_short_requests_do_not_wait_for_long_ones(
    start: Callable[..., Server], minilm: Any
) -> None:
    released = threading.Event()

    class Slow:
        model, dimension, calibration = minilm.model, minilm.dimension, minilm.calibration
        windows = minilm.windows

        def embed(self, texts: Any) -> Any:
            if "slow" in texts[0]:
                released.wait(60)
            return minilm.embed(texts)

    server = start(embedder=Slow())
    bodies = [{"source": "s", "path": str(n), "title": "slow", "text": "slow"} for n in range(60)]
    with ThreadPoolExecutor(60) as callers:
        posted = [
            callers.submit(httpx.post, f"{server.url}/api/rag/ingest", json=body, timeout=60)
            for body in bodies
        ]
        try:
            assert server.http.get("/health").status_code == 200
            found = server.http.post("/api/rag/search", json={"query": "x"})
            assert (found.status_code, any(one.done() for one in posted)) == (200, False)
        finally:
            released.set()
        assert {one.result().json()["status"] for one in posted} == {"created"}
