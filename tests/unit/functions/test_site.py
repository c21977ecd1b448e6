"""The site's function: the same pages behind API Gateway."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.functions.conftest import Call, http_event

WIDGET_API = "https://abc.execute-api.eu-central-1.amazonaws.com/prod"


def get(path: str, **more: Any) -> dict[str, Any]:
    """As the gateway asks where there is no authorizer."""
    event = http_event("GET", path, **more)
    del event["requestContext"]["authorizer"]
    return event


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html"),
        ("/guide/formats", "text/html"),
        ("/site/site.css", "text/css"),
        ("/site/icon.svg", "image/svg+xml"),
        ("/console", "text/html"),
        ("/site/theme.css", "text/css"),
        ("/docs", "text/html"),
        ("/docs/swagger-ui-bundle.js", "text/javascript"),
        ("/openapi.json", "application/json"),
        ("/widget.js", "text/javascript"),
    ],
)
def test_everything_is_text_which_a_gateway_passes_on(call: Call, path: str, kind: str) -> None:
    answer = call("site", get(path))
    assert answer["statusCode"] == 200
    assert answer["headers"]["content-type"].startswith(kind)
    assert not answer["isBase64Encoded"]


def test_it_says_where_it_runs(call: Call) -> None:
    told = json.loads(call("site", get("/health"))["body"])
    assert (told["status"], told["runtime"]) == ("ok", "aws")


def test_it_describes_the_api_of_all_functions(call: Call) -> None:
    paths = json.loads(call("site", get("/openapi.json"))["body"])["paths"]
    assert {"/api/rag/ingest", "/api/chat", "/api/v1/chat", "/health"} <= set(paths)


def test_pages_are_told_by_the_stage_where_the_widgets_api_is(call: Call) -> None:
    event = {"stageVariables": {"widgetApi": WIDGET_API}}
    home = call("site", get("/", **event))
    assert f'<script src="{WIDGET_API}/widget.js" defer' in home["body"]
    policy = home["headers"]["content-security-policy"]
    assert f"script-src 'self' {WIDGET_API.removesuffix('/prod')};" in policy
    assert f'content="{WIDGET_API}"' in call("site", get("/console", **event))["body"]


@pytest.mark.parametrize(
    ("asked", "root"), [("/prod/", "./"), ("/prod", "prod/"), ("/", "./"), (None, "./")]
)
def test_the_root_without_its_slash_finds_its_parts(call: Call, asked: str, root: str) -> None:
    event = get("/")
    event["requestContext"]["path"] = asked
    assert f'href="{root}site/site.css"' in call("site", event)["body"]
    assert f'href="{root}console"' in call("site", event)["body"]


def test_the_console_may_read_what_the_other_api_answers(call: Call) -> None:
    """Its origin is the stage's to say, and nobody else's."""
    console, stranger = "https://console.example", "https://stranger.example"
    for origin, readable in ((console, console), (stranger, None)):
        event = http_event("GET", "/api/v1/sites", stageVariables={"console": console})
        event["headers"] |= {"Origin": origin}
        event["multiValueHeaders"] |= {"Origin": [origin]}
        headers = call("sources", event)["headers"]
        assert headers.get("access-control-allow-origin") == readable
