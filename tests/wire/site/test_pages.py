"""Pages and files as browsers get them."""

from __future__ import annotations

import re
from collections.abc import Callable

import httpx
import pytest

from infra.local.integrity import PLACE, integrity
from infra.local.serve import SITE
from rag.runtime.settings import Settings
from rag.runtime.site import form_origins
from rag.wire.site.pages import WIDGET_API, content_policy, with_widget_api
from tests.conftest import Server

PAGES = ["/", "/guide/files", "/console"]
SCRIPT = (SITE / "widget" / "widget.js").read_bytes()


def policy(answer: httpx.Response) -> dict[str, list[str]]:
    parts = [part.split() for part in answer.headers["content-security-policy"].split(";")]
    return {name: values for name, *values in parts}


@pytest.mark.parametrize("path", PAGES)
def test_a_page_runs_what_is_ours_and_nothing_inline(http: httpx.Client, path: str) -> None:
    answer = http.get(path)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    told = policy(answer)
    assert told["default-src"] == told["frame-ancestors"] == ["'none'"]
    assert {*told["script-src"], *told["style-src"], *told["connect-src"]} == {"'self'"}
    assert not re.search(r"<style|style=|\son\w+=|<script(?![^>]*\ssrc=)", answer.text)


@pytest.mark.parametrize("path", [*PAGES, "/site/site.css", "/widget.js"])
def test_what_a_browser_has_already_is_not_sent_again(http: httpx.Client, path: str) -> None:
    first = http.get(path)
    assert first.headers["x-content-type-options"] == "nosniff"
    again = http.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    other = http.get(path, headers={"If-None-Match": '"another"'})
    assert other.content == first.content


def test_no_page_is_shown_in_anothers_frame(http: httpx.Client) -> None:
    for path in [*PAGES, "/docs"]:
        assert policy(http.get(path))["frame-ancestors"] == ["'none'"]
    framed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert http.get("/docs", headers={**framed, "Sec-Fetch-Dest": "iframe"}).status_code == 403
    assert http.get("/docs", headers={**framed, "Sec-Fetch-Dest": "document"}).status_code == 200


def test_pages_are_asked_about_and_the_script_is_kept_for_an_hour(http: httpx.Client) -> None:
    assert http.get("/").headers["cache-control"] == "no-cache"
    assert "max-age=3600" in http.get("/widget.js").headers["cache-control"]


def test_the_script_is_for_every_page_and_comes_as_it_is(http: httpx.Client) -> None:
    answer = http.get("/widget.js", headers={"Origin": "https://docs.example"})
    assert answer.content == SCRIPT
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    # Without that, a browser could not compare it with what the page expects.
    assert answer.headers["access-control-allow-origin"] == "*"
    head = http.head("/widget.js", headers={"Accept-Encoding": "identity"})
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(SCRIPT))


def test_the_readme_says_what_the_script_hashes_to() -> None:
    readme = (SITE / "README.md").read_text("utf-8")
    assert PLACE.findall(readme) == [integrity(SCRIPT)], "if it is meant to change: make integrity"


def test_pages_are_compressed_and_answers_are_not(http: httpx.Client) -> None:
    for path, kind in {"/": "gzip", "/widget.js": "gzip", "/api/rag/usage": None}.items():
        answer = http.get(path, headers={"Accept-Encoding": "gzip"})
        assert len(answer.content) > 1400
        assert answer.headers.get("content-encoding") == kind
        if kind:
            assert "Accept-Encoding" in answer.headers["vary"]
            assert int(answer.headers["content-length"]) < len(answer.content) / 2


@pytest.mark.parametrize("auth", ["open", "required"])
def test_pages_need_no_credentials(start: Callable[..., Server], auth: str) -> None:
    server = start({"AUTH": auth})
    for path in [*PAGES, "/docs", "/openapi.json", "/health", "/widget.js"]:
        assert server.http.get(path).status_code == 200


def test_a_page_is_told_of_an_api_that_is_elsewhere() -> None:
    api = "https://abc.execute-api.eu-central-1.amazonaws.com/prod"
    assert with_widget_api(WIDGET_API, api) == WIDGET_API.replace('""', f'"{api}"')
    assert with_widget_api(WIDGET_API, "") == WIDGET_API
    told = content_policy(api, ["https://bucket.example"])
    origin = api.removesuffix("/prod")
    assert f"script-src 'self' {origin};" in told
    assert f"connect-src 'self' {origin} https://bucket.example;" in told


def test_the_console_has_a_place_for_it() -> None:
    assert WIDGET_API in (SITE / "widget" / "console" / "index.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("settings", "origins"),
    [
        (Settings(), ()),
        (
            Settings(uploads_bucket="b", aws_region="eu-west-1"),
            ("https://b.s3.amazonaws.com", "https://b.s3.eu-west-1.amazonaws.com"),
        ),
        (
            Settings(uploads_bucket="b", aws_region="cn-north-1"),
            ("https://b.s3.amazonaws.com.cn", "https://b.s3.cn-north-1.amazonaws.com.cn"),
        ),
        (
            Settings(uploads_bucket="b", aws_region="x", aws_endpoint_url="http://127.0.0.1:4566/"),
            ("http://127.0.0.1:4566",),
        ),
    ],
)
def test_pages_may_send_files_where_forms_lead(
    settings: Settings, origins: tuple[str, ...]
) -> None:
    assert form_origins(settings) == origins
