"""Pages through the gateway, without credentials."""

from __future__ import annotations

import pytest

from infra.local.serve import SITE
from tests.integration.stack.conftest import Running

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("path", ["/", "/guide/formats", "/console", "/docs"])
def test_pages_are_there_for_everybody(running: Running, path: str) -> None:
    answer = running.client().get(path)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


def test_their_parts_come_as_they_are(running: Running) -> None:
    http = running.client()
    for path in ("widget.js", "site/site.css", "site/icon.svg", "site/theme.css"):
        answer = http.get(f"/{path}")
        assert answer.content == (SITE / "widget" / path).read_bytes()
        assert (
            http.get(f"/{path}", headers={"If-None-Match": answer.headers["etag"]}).status_code
            == 304
        )


def test_the_script_may_be_run_by_any_page(running: Running) -> None:
    answer = running.client(Origin="https://docs.example").get("/widget.js")
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "max-age" in answer.headers["cache-control"]


def test_what_is_up_says_so(running: Running) -> None:
    assert running.client().get("/health").json()["status"] == "ok"
    assert "/api/v1/chat" in running.client().get("/openapi.json").json()["paths"]


def test_a_page_that_is_not_there_is_told_in_our_shape(running: Running) -> None:
    for path in ("/guide/nothing", "/nothing"):
        answer = running.client().get(path)
        assert answer.status_code == 404
        assert set(answer.json()) == {"error", "message", "details"}
