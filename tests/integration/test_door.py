"""Who may come in: pages of other origins may not, and credentials say who is calling."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import httpx
import jwt
import pytest

from tests.conftest import Server
from tests.integration.conftest import command
from tests.routes import routes

DOCUMENT = {"source": "s", "path": "/p", "title": "Newts", "text": "Newts sleep in winter."}
FRIEND = "https://friend.example"
STRANGER = "https://stranger.example"
OPEN_TO_ALL = ["/health", "/docs", "/openapi.json"]
# What anybody may do, from any page.
PUBLIC = {
    ("POST", "/api/v1/chat"),
    ("POST", "/api/v1/feedback"),
    ("GET", "/api/v1/sites/{siteId}/look"),
}


@pytest.fixture
def guarded(start: Callable[..., Server]) -> Server:
    return start({"AUTH": "required"})


def api(server: Server) -> list[tuple[str, str]]:
    """Every route under /api, with an id where one is wanted."""
    found = [(method, path) for method, path in routes(server) if path.startswith("/api/")]
    assert found
    return [(method, path.replace("{documentId}", "doc_0")) for method, path in sorted(found)]


def owned(server: Server) -> list[tuple[str, str]]:
    """Those of them that are the owners' alone."""
    return [route for route in api(server) if route not in PUBLIC]


def is_refused(answer: httpx.Response, status: int) -> None:
    assert answer.status_code == status, answer.text
    of_the_widget = answer.url.path.startswith("/api/v1/")
    told = answer.json()["error"] if of_the_widget else answer.json()
    assert set(told) == {"code" if of_the_widget else "error", "message", "details"}
    assert "access-control-allow-origin" not in answer.headers


# Pages of other origins, while callers without credentials own everything


@pytest.mark.parametrize(
    "host",
    ["stranger.example", "stranger.example:3000", "127.0.0.1.stranger.example:3000",
     "localhost.stranger.example", "192.168.1.5:3000", "0.0.0.0:3000", "localhost.", "[::2]:3000"],
)  # fmt: skip
def test_a_name_that_someone_made_to_point_here_is_refused(server: Server, host: str) -> None:
    for method, path in [*api(server), ("GET", "/health"), ("GET", "/openapi.json")]:
        is_refused(server.http.request(method, path, headers={"Host": host}), 403)


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:3000", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:3000"]
)
def test_this_machines_own_names_are_answered(server: Server, host: str) -> None:
    assert server.http.get("/api/rag/documents", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": STRANGER},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://localhost.stranger.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
    ],
)
def test_a_page_of_another_origin_is_refused_on_every_route(
    start: Callable[..., Server], headers: dict[str, str]
) -> None:
    server = start({"CORS_ORIGINS": FRIEND})
    for method, path in owned(server):
        is_refused(server.http.request(method, path, headers=headers), 403)


def test_a_refused_post_changes_nothing(http: httpx.Client) -> None:
    is_refused(http.post("/api/rag/ingest", json=DOCUMENT, headers={"Origin": STRANGER}), 403)
    assert http.get("/api/rag/documents").json()["documents"] == []


def test_a_page_of_another_origin_may_not_even_ask(server: Server) -> None:
    for method, path in owned(server):
        preflight = {"Origin": STRANGER, "Access-Control-Request-Method": method}
        is_refused(server.http.options(path, headers=preflight), 403)


@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_a_link_from_elsewhere_may_be_followed_but_a_form_not_be_sent(
    http: httpx.Client, method: str
) -> None:
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert http.get("/docs", headers=followed).status_code == 200
    is_refused(http.request(method, "/api/rag/documents/doc_0", headers=followed), 403)


def test_the_servers_own_pages_may_call(server: Server) -> None:
    for headers in (
        {"Origin": server.url, "Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none"},
    ):
        answer = server.http.post("/api/rag/ingest", json=DOCUMENT, headers=headers)
        assert answer.status_code == 200


@pytest.mark.parametrize("auth", ["open", "required"])
@pytest.mark.parametrize("origins", [FRIEND, f"https://other.example , {FRIEND}"])
def test_a_page_of_a_named_origin_may_ask_call_and_read(
    start: Callable[..., Server], auth: str, origins: str
) -> None:
    server = start({"AUTH": auth, "CORS_ORIGINS": origins})
    preflight = server.http.options(
        "/api/rag/ingest",
        headers={
            "Origin": FRIEND,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type,authorization,x-api-key,x-request-id"
            ",idempotency-key",
        },
    )
    assert preflight.status_code == 200
    assert "POST" in preflight.headers["access-control-allow-methods"]
    headers = {**server.token(), "Origin": FRIEND, "Sec-Fetch-Site": "cross-site"}
    answer = server.http.post("/api/rag/ingest", json=DOCUMENT, headers=headers)
    assert answer.status_code == 200
    for one in (preflight, answer):
        assert one.headers["access-control-allow-origin"] == FRIEND
        assert "origin" in one.headers["vary"].lower()


@pytest.mark.parametrize("auth", ["open", "required"])
def test_a_page_of_a_named_origin_can_read_why_it_was_refused(
    start: Callable[..., Server], auth: str
) -> None:
    http = start({"AUTH": auth, "CORS_ORIGINS": FRIEND}).http
    headers = {"Origin": FRIEND, "Authorization": "Bearer expired"}
    answer = http.post("/api/rag/search", json={"query": "newts"}, headers=headers)
    assert answer.status_code == 401
    assert answer.headers["access-control-allow-origin"] == FRIEND


def test_what_is_open_to_every_page_is_never_answered_as_the_owner(server: Server) -> None:
    answer = server.http.post("/api/v1/feedback", json={}, headers={"Origin": STRANGER})
    assert answer.status_code in (400, 404)
    assert server.line(answer)["org"] is None


def test_a_foreign_page_does_not_reach_what_a_laptops_owner_has_for_visitors(
    server: Server,
) -> None:
    answer = server.http.get("/api/v1/sites", headers={"Origin": STRANGER})
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "FORBIDDEN"


# Credentials


def bad_bearers(server: Server) -> list[str]:
    """Values of Authorization that are not to be taken for a token of anybody."""
    claims, secret = {"sub": "ann", "org": "acme"}, server.footnote.authenticator.secret
    tokens = [
        "nonsense",
        jwt.encode(claims, "another secret that is long enough", "HS256"),
        jwt.encode(claims, None, "none"),
        jwt.encode({**claims, "exp": 1}, secret, "HS256"),
        jwt.encode({**claims, "nbf": 2**40}, secret, "HS256"),
        jwt.encode({"sub": "ann"}, secret, "HS256"),
        jwt.encode({"sub": "ann", "org": "a#b"}, secret, "HS256"),
    ]
    return ["Bearer", "nonsense", "Basic YTpi", *(f"Bearer {token}" for token in tokens)]


@pytest.mark.parametrize("auth", ["open", "required"])
def test_a_bad_bearer_token_is_always_refused(start: Callable[..., Server], auth: str) -> None:
    server = start({"AUTH": auth})
    for method, path in [*api(server), ("GET", "/health")]:
        for bad in bad_bearers(server):
            answer = server.http.request(method, path, headers={"Authorization": bad})
            is_refused(answer, 401)


def test_an_unknown_api_key_is_refused_where_credentials_are_required(guarded: Server) -> None:
    for method, path in api(guarded):
        is_refused(guarded.http.request(method, path, headers={"x-api-key": "fn_no"}), 401)


def test_an_unknown_api_key_is_ignored_where_none_is_required(server: Server) -> None:
    answer = server.http.get("/api/rag/documents", headers={"x-api-key": "fn_no"})
    assert answer.status_code == 200
    assert server.line(answer)["org"] == "local"


@pytest.mark.parametrize("body", [b"", b"{}", b"{", b'{"query": "newts"}'])
def test_no_credentials_are_refused_on_every_route_that_needs_them(
    guarded: Server, body: bytes
) -> None:
    headers = {"Content-Type": "application/json"}
    for method, path in owned(guarded):
        answer = guarded.http.request(method, path, content=body, headers=headers)
        is_refused(answer, 401)
        assert answer.headers["www-authenticate"] == "Bearer"


def test_health_and_documentation_need_no_credentials(guarded: Server) -> None:
    for path in OPEN_TO_ALL:
        assert guarded.http.get(path).status_code == 200


def test_credentials_are_enough_under_any_name_of_the_server(guarded: Server) -> None:
    headers = {**guarded.token(), "Host": "rag.example"}
    assert guarded.http.get("/api/rag/documents", headers=headers).status_code == 200


def test_open_to_everybody_serves_this_machine_only(data_dir: Path) -> None:
    refused = command(data_dir, "serve", AUTH="open", HOST="0.0.0.0")
    assert refused.returncode == 2
    assert refused.stdout == ""
    (line,) = refused.stderr.splitlines()
    assert "AUTH=required" in line
    assert "HOST=127.0.0.1" in line


# The commands that make credentials


def test_a_token_that_was_printed_is_accepted(guarded: Server, data_dir: Path) -> None:
    made = command(data_dir, "credentials", "token", "ann", "acme", "premium", "admin,hr", "blue")
    assert (made.returncode, made.stderr) == (0, "")
    headers = {"Authorization": f"Bearer {made.stdout.strip()}"}
    answer = guarded.http.get("/api/rag/documents", headers=headers)
    assert answer.status_code == 200
    assert guarded.line(answer)["org"] == "acme"


def test_a_key_that_was_printed_is_accepted(guarded: Server, data_dir: Path) -> None:
    made = command(data_dir, "credentials", "key", "acme", "", "admin")
    assert (made.returncode, made.stderr) == (0, "")
    headers = {"x-api-key": made.stdout.strip()}
    answer = guarded.http.get("/api/rag/documents", headers=headers)
    assert answer.status_code == 200
    assert guarded.line(answer)["org"] == "acme"


@pytest.mark.parametrize(("kind", "nothing"), [("token", [""] * 5), ("key", [""] * 3)])
def test_credentials_of_nobody_in_particular_are_of_the_local_org(
    guarded: Server, data_dir: Path, kind: str, nothing: list[str]
) -> None:
    made = command(data_dir, "credentials", kind, *nothing).stdout.strip()
    headers = {"token": {"Authorization": f"Bearer {made}"}, "key": {"x-api-key": made}}[kind]
    answer = guarded.http.get("/api/rag/documents", headers=headers)
    assert answer.status_code == 200
    assert guarded.line(answer)["org"] == "local"


def test_a_token_made_before_the_first_start_is_accepted_after_it(
    start: Callable[..., Server], data_dir: Path
) -> None:
    made = command(data_dir, "credentials", "token", "ann", "acme", "", "", "")
    headers = {"Authorization": f"Bearer {made.stdout.strip()}"}
    http = start({"AUTH": "required"}).http
    assert http.get("/api/rag/documents", headers=headers).status_code == 200


@pytest.mark.parametrize(
    "arguments", [["token", "ann", "a b", "", "", ""], ["key", "acme", "golden", ""]]
)
def test_credentials_that_nobody_would_accept_are_not_made(
    data_dir: Path, arguments: list[str]
) -> None:
    refused = command(data_dir, "credentials", *arguments)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert len(refused.stderr.splitlines()) == 1


def test_the_secret_is_made_once_and_only_its_owner_can_read_it(
    server: Server, start: Callable[..., Server], data_dir: Path
) -> None:
    secret = data_dir / "jwt-secret"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert len(secret.read_text()) >= 43
    assert start().footnote.authenticator.secret == secret.read_text()
    assert [path.name for path in data_dir.glob("jwt-secret*")] == ["jwt-secret"]
