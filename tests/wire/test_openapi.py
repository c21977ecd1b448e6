from __future__ import annotations

import json
from pathlib import Path

import httpx

GOLDEN = Path(__file__).with_name("openapi.json")


def test_the_api_promises_what_was_written_down(http: httpx.Client) -> None:
    promised = json.loads(GOLDEN.read_text("utf-8"))
    assert http.get("/openapi.json").json() == promised, "if it is meant to change: make openapi"


def test_the_documentation_needs_no_network(http: httpx.Client) -> None:
    page = http.get("/docs")
    assert page.status_code == 200
    assert "http" not in page.text
    assert http.get("/docs/swagger-ui-bundle.js").status_code == 200
