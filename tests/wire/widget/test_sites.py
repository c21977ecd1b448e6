"""Sites, over HTTP: whose pages may ask, and of what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from rag.model import Draft
from tests.conftest import Server

PLACE = "/api/v1/sites"
ORIGINS = ["https://docs.example", "http://localhost:8080"]
SITE: dict[str, Any] = {"name": "Docs", "origins": ORIGINS, "data_sources": []}

People = dict[str, dict[str, str]]


@pytest.fixture
def people(server: Server) -> People:
    """Headers of some members of an org, and of one of another."""
    return {
        "ann": server.token("ann", "acme"),
        "bob": server.token("bob", "acme"),
        "root": server.token("root", "acme", roles=["admin"]),
        "zoe": server.token("zoe", "zeta", roles=["admin"]),
    }


@pytest.fixture
def source(http: httpx.Client, people: People) -> Callable[..., str]:
    """Makes a data source and returns its id."""

    def create(owner: str = "ann", visibility: str = "public") -> str:
        body = {"name": "Files", "visibility": visibility}
        answer = http.post("/api/rag/sources", json=body, headers=people[owner])
        assert answer.status_code == 201
        id: str = answer.json()["id"]
        return id

    return create


@pytest.fixture
def make(http: httpx.Client, people: People) -> Callable[..., Any]:
    """Makes a site."""

    def create(owner: str = "ann", **more: Any) -> Any:
        answer = http.post(PLACE, json={**SITE, **more}, headers=people[owner])
        assert answer.status_code == 201, answer.text
        return answer.json()

    return create


def listed(http: httpx.Client, headers: dict[str, str]) -> list[Any]:
    answer = http.get(PLACE, headers=headers)
    assert answer.status_code == 200
    sites: list[Any] = answer.json()["sites"]
    return sites


def refusal(answer: httpx.Response, status: int, code: str) -> Any:
    """The details of a refusal."""
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert set(error) == {"code", "message", "details"}
    assert error["code"] == code
    return error["details"]


def test_a_site_is_made_listed_and_deleted(
    http: httpx.Client, people: People, source: Callable[..., str]
) -> None:
    id, look = source(), {"accent": "#205080", "greeting": {"en": "Ask!"}}
    body = {**SITE, "data_sources": [id], "look": look}
    made = http.post(PLACE, json=body, headers=people["ann"])
    assert made.status_code == 201
    site = made.json()
    assert site == {
        "id": site["id"], "name": "Docs", "origins": ORIGINS, "data_sources": [id], "look": look,
        "owner": "ann", "created_at": site["created_at"],
    }  # fmt: skip
    assert site["id"].startswith("site_")
    assert listed(http, people["ann"]) == [site]
    gone = http.delete(f"{PLACE}/{site['id']}", headers=people["ann"])
    assert (gone.status_code, gone.json()) == (200, {"id": site["id"]})
    assert listed(http, people["ann"]) == []
    again = http.delete(f"{PLACE}/{site['id']}", headers=people["ann"])
    assert refusal(again, 404, "NOT_FOUND") is None


BROWSERS = [
    "https://docs.example", "http://localhost", "http://localhost:8080", "https://a-b.example",
    "https://xn--bcher-kva.example", "https://my_host.example", "http://127.0.0.1:3000",
    "http://[::1]:3000", "https://[2001:db8::1]", "https://docs.example:80",
    "http://docs.example:443", "https://docs.example:65535", "https://docs.example.",
]  # fmt: skip
NO_BROWSERS = [
    "", "*", "https://*", "https://*.example", "null", "docs.example", "//docs.example",
    "https://", "https://docs.example/", "https://docs.example/path", "https://docs.example?",
    "https://docs.example#", "https://Docs.example", "HTTPS://docs.example",
    "https://docs.example:443", "http://docs.example:80", "https://docs.example:",
    "https://docs.example:0", "https://docs.example:65536", "https://docs.example:0443",
    "https://docs.example:٤", "https://ann@docs.example", "https://ann:pw@docs.example",
    "https://bücher.example", "https://docs..example", "https://.example", "ftp://docs.example",
    "file://", "chrome-extension://abc", "javascript:alert(1)", "http://[::1", "http://[::g]",
    "http://[0:0:0:0:0:0:0:1]", "http://[::1%25eth0]", " https://docs.example",
    "https://docs.example\n", "https://docs.example\r\nX: y", "https://docs example",
]  # fmt: skip


def test_origins_are_taken_as_browsers_write_them(make: Callable[..., Any]) -> None:
    assert make(origins=BROWSERS)["origins"] == BROWSERS


def test_no_other_origin_is(http: httpx.Client, people: People) -> None:
    for origin in NO_BROWSERS:
        body = {**SITE, "origins": ["https://docs.example", origin]}
        answer = http.post(PLACE, json=body, headers=people["ann"])
        details = refusal(answer, 400, "INVALID_REQUEST")
        assert details == {"field": "origins.1", "constraint": "origin"}, origin
    assert listed(http, people["ann"]) == []


def nested(depth: int) -> Any:
    return {"": nested(depth - 1)} if depth else 1


RULES: list[tuple[dict[str, Any], str, str]] = [
    ({"name": None}, "name", "required"),
    ({"name": " "}, "name", "non_empty"),
    ({"name": 1}, "name", "string"),
    ({"name": "x" * 201}, "name", "max_length"),
    ({"origins": None}, "origins", "required"),
    ({"origins": []}, "origins", "min_length"),
    ({"origins": "https://docs.example"}, "origins", "array"),
    ({"origins": [1]}, "origins.0", "string"),
    ({"origins": [f"https://{n}.example" for n in range(51)]}, "origins", "max_length"),
    ({"origins": [f"https://{'x' * 300}.example"]}, "origins.0", "max_length"),
    ({"data_sources": None}, "data_sources", "required"),
    ({"data_sources": {}}, "data_sources", "array"),
    ({"data_sources": [""]}, "data_sources.0", "non_empty"),
    ({"data_sources": ["x" * 129]}, "data_sources.0", "max_length"),
    ({"data_sources": [f"src_{n}" for n in range(51)]}, "data_sources", "max_length"),
    ({"look": []}, "look", "object"),
    ({"look": {"a": "x" * 4096}}, "look", "max_length"),
    ({"look": nested(33)}, "look", "valid"),
]


def test_a_site_that_breaks_a_rule_is_not_made(http: httpx.Client, people: People) -> None:
    for change, field, constraint in RULES:
        answer = http.post(PLACE, json={**SITE, **change}, headers=people["ann"])
        details = refusal(answer, 400, "INVALID_REQUEST")
        assert details == {"field": field, "constraint": constraint}
    assert listed(http, people["ann"]) == []


def test_the_most_that_a_site_may_have_is_taken(
    make: Callable[..., Any], source: Callable[..., str]
) -> None:
    full = {
        "name": "x" * 200,
        "origins": [f"https://{n}.example" for n in range(50)],
        "look": {"a": "x" * (4096 - len('{"a": ""}'))},
    }
    site = make(**full, data_sources=[source()] * 50)
    assert {name: site[name] for name in full} == full
    assert len(site["data_sources"]) == 1


def test_what_is_named_twice_is_listed_once(
    make: Callable[..., Any], source: Callable[..., str]
) -> None:
    first, second = source(), source()
    site = make(data_sources=[second, first, second], origins=[*ORIGINS, *ORIGINS])
    assert site["data_sources"] == [second, first]
    assert site["origins"] == ORIGINS


# What may be published


def test_who_may_change_a_source_may_publish_it(
    make: Callable[..., Any], source: Callable[..., str]
) -> None:
    id = source("ann")
    assert make("ann", data_sources=[id])["data_sources"] == [id]
    assert make("root", data_sources=["default", id])["data_sources"] == ["default", id]


@pytest.mark.parametrize("id", ["own", "default"])
def test_a_source_that_one_only_sees_is_not_ones_to_publish(
    http: httpx.Client, people: People, source: Callable[..., str], id: str
) -> None:
    body = {**SITE, "data_sources": [source("ann") if id == "own" else id]}
    answer = http.post(PLACE, json=body, headers=people["bob"])
    assert refusal(answer, 403, "FORBIDDEN") is None
    assert listed(http, people["root"]) == []


def test_a_source_that_one_may_not_see_is_as_one_that_is_not_there(
    http: httpx.Client, people: People, source: Callable[..., str]
) -> None:
    seen = []
    for id in (source("ann", "personal"), source("zoe"), "src_0"):
        body = {**SITE, "data_sources": [id]}
        answer = http.post(PLACE, json=body, headers=people["bob"])
        assert refusal(answer, 404, "NOT_FOUND") is None
        seen.append(answer.text.replace(id, "{id}"))
    assert len({*seen}) == 1


@pytest.mark.parametrize("owner", ["ann", "root"])
def test_only_public_sources_are_published(
    http: httpx.Client, people: People, source: Callable[..., str], owner: str
) -> None:
    body = {**SITE, "data_sources": [source(), source(visibility="personal")]}
    answer = http.post(PLACE, json=body, headers=people[owner])
    details = refusal(answer, 400, "INVALID_REQUEST")
    assert details == {"field": "data_sources.1", "constraint": "public_source"}


# Whose matter a site is


def test_everybody_lists_their_own_sites_and_admins_all_of_the_org(
    http: httpx.Client, people: People, make: Callable[..., Any]
) -> None:
    anns, bobs, zoes = make("ann"), make("bob"), make("zoe")
    assert listed(http, people["ann"]) == [anns]
    assert listed(http, people["bob"]) == [bobs]
    assert sorted(one["id"] for one in listed(http, people["root"])) == sorted(
        one["id"] for one in (anns, bobs)
    )
    assert listed(http, people["zoe"]) == [zoes]


def test_what_is_not_ones_to_delete_looks_as_if_it_were_not_there(
    http: httpx.Client, people: People, make: Callable[..., Any]
) -> None:
    site = make("ann")
    nobodys = "site_" + "0" * 26
    for who in ("bob", "zoe"):
        seen = set()
        for id in (site["id"], nobodys):
            answer = http.delete(f"{PLACE}/{id}", headers=people[who])
            assert refusal(answer, 404, "NOT_FOUND") is None
            seen.add(answer.text.replace(id, "{id}"))
        assert len(seen) == 1
    assert listed(http, people["ann"]) == [site]
    assert http.delete(f"{PLACE}/{site['id']}", headers=people["root"]).status_code == 200
    assert listed(http, people["ann"]) == []


def test_the_demos_site_is_nobodys_to_delete(http: httpx.Client) -> None:
    assert refusal(http.delete(f"{PLACE}/demo"), 404, "NOT_FOUND") is None
    assert http.get(f"{PLACE}/demo/look").status_code == 200


def test_an_org_has_so_many_sites(
    http: httpx.Client,
    people: People,
    make: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rag.stores.sites.MOST_SITES", 1)
    make("ann")
    answer = http.post(PLACE, json=SITE, headers=people["bob"])
    assert refusal(answer, 409, "CONFLICT") is None


def test_on_a_laptop_its_owner_needs_no_credentials(http: httpx.Client) -> None:
    made = http.post(PLACE, json={**SITE, "data_sources": ["default"]})
    assert (made.status_code, made.json()["owner"]) == (201, "local")
    assert listed(http, {}) == [made.json()]


def test_elsewhere_nobody_makes_lists_or_deletes_sites_without_them(
    start: Callable[..., Server],
) -> None:
    http = start({"AUTH": "required"}).http
    answers = (http.post(PLACE, json=SITE), http.get(PLACE), http.delete(f"{PLACE}/site_0"))
    for answer in answers:
        assert refusal(answer, 401, "UNAUTHORIZED") is None
        assert answer.json()["error"]["message"] == "Invalid or expired session token"


# What its visitors see


FACT = "The warranty of the kettle ends after twenty-four months."
QUESTION = "When does the warranty of the kettle end?"


@pytest.fixture
def visit(server: Server) -> Callable[..., Any]:
    """Asks on a site's pages."""

    def ask(site: str, **token: str) -> Any:
        context = {"mode": "browse", "session_id": "550e8400-e29b-41d4-a716-446655440000"}
        body = {"message": QUESTION, "context": context, "tier": "anonymous"}
        headers = {"X-Site": site, "Origin": ORIGINS[0], **token}
        answer = server.http.post("/api/v1/chat", json=body, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    return ask


def test_closing_a_source_closes_it_to_the_world_from_the_next_request_on(
    server: Server,
    people: People,
    make: Callable[..., Any],
    source: Callable[..., str],
    visit: Callable[..., Any],
) -> None:
    id = source()
    draft = Draft("manuals", "kettle.md", "Kettle", FACT, data_source=id)
    server.footnote.ingestion.ingest("acme", draft)
    shows, shows_not = make(data_sources=[id])["id"], make()["id"]

    def opened(visibility: str, **more: Any) -> None:
        body = {"visibility": visibility, **more}
        answer = server.http.patch(f"/api/rag/sources/{id}", json=body, headers=people["ann"])
        assert answer.status_code == 200

    def seen(site: str, **token: str) -> bool:
        answer = visit(site, **token)
        shown = "twenty-four" in answer["answer"]
        assert [one["title"] for one in answer["sources"]] == ["Kettle"] * shown
        return shown

    assert seen(shows)
    # A token shows no more than the site does, its owner's neither.
    assert not seen(shows_not)
    assert not seen(shows_not, **people["ann"])
    for visibility in ("role", "team", "private", "personal"):
        opened(visibility, roles=["admin"], teams=["blue"], users=["visitor"])
        assert not seen(shows)
        assert not seen(shows, **people["ann"])
        opened("public")
        assert seen(shows, **people["zoe"])
    assert server.http.delete(f"/api/rag/sources/{id}", headers=people["ann"]).is_success
    assert not seen(shows)


# Its look


def test_a_sites_look_and_name_are_anybodys(start: Callable[..., Server]) -> None:
    server = start({"AUTH": "required"})
    look = {"accent": "#205080"}
    site = server.http.post(PLACE, json={**SITE, "look": look}, headers=server.token()).json()
    answer = server.http.get(
        f"{PLACE}/{site['id']}/look", headers={"Origin": "https://else.example"}
    )
    assert (answer.status_code, answer.json()) == (
        200,
        {"id": site["id"], "name": "Docs", "look": look},
    )


def test_a_site_that_is_not_there_has_none(http: httpx.Client) -> None:
    for id in ("site_0", "site_" + "0" * 26, "x" * 3000, "%00", "%F0%9F%90%B8"):
        assert refusal(http.get(f"{PLACE}/{id}/look"), 404, "NOT_FOUND") is None
