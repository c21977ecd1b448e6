"""What is logged of a visit: that there was one, and nothing personal."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Server
from tests.wire.widget.pages import NEWTS, SESSION, Pages
from tests.wire.widget.visits import CHAT

WORDS = "Do zebras sleep with Gwendolyn?"


def asked(**context: Any) -> dict[str, Any]:
    context = {"mode": "chat", "session_id": SESSION, "selected_text": NEWTS, **context}
    return {"message": WORDS, "context": context, "tier": "anonymous"}


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
def test_a_visit_is_logged_without_anything_personal(server: Server, accept: str) -> None:
    pages = Pages(server)
    page = "https://ann:secret@a.example/docs/newts?mail=ann@b.example#token"
    headers = {"X-Site": pages.site, "Accept": accept, **server.token("Bartholomew", tier="full")}
    answer = server.http.post(CHAT, json=asked(page_url=page), headers=headers)
    assert answer.status_code == 200
    line = server.line(answer)
    told = ("event", "session_id", "page_url", "site", "tier", "mode")
    assert {name: line[name] for name in told} == {
        "event": "chat_message_sent",
        "session_id": SESSION,
        "page_url": "https://a.example/docs/newts",
        "site": pages.site,
        "tier": "full",
        "mode": "chat",
    }
    said = str(line)
    token = headers["Authorization"].removeprefix("Bearer ")
    for secret in ("zebra", "Gwendolyn", "snails", "Bartholomew", "ann", "127.0.0.1", token):
        assert secret not in said


def test_without_a_page_none_is_logged(server: Server) -> None:
    answer = server.http.post(CHAT, json=asked(mode="browse"))
    line = server.line(answer)
    assert (line["page_url"], line["site"], line["tier"]) == (None, "demo", "anonymous")
    assert line["mode"] == "browse"


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (asked(mode="?"), {}, 400),
        (asked(), {"X-Site": "site_none"}, 404),
        ({**asked(), "tier": "full"}, {}, 401),
    ],
)
def test_who_is_not_let_in_has_sent_no_message(
    server: Server, body: Any, headers: dict[str, str], status: int
) -> None:
    answer = server.http.post(CHAT, json=body, headers=headers)
    assert answer.status_code == status
    assert "event" not in server.line(answer)


def test_nor_has_who_comes_too_often(server: Server) -> None:
    for _ in range(10):
        assert server.http.post(CHAT, json=asked()).status_code == 200
    answer = server.http.post(CHAT, json=asked())
    assert answer.status_code == 429
    assert "event" not in server.line(answer)
