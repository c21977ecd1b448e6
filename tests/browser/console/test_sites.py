"""Sites, and what their visitors thought."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import expect

from tests.browser.console.conftest import Open
from tests.browser.console.steps import confirm, ingest
from tests.conftest import Server
from tests.wire.platform.questions import QUERY, UNANSWERABLE
from tests.wire.widget.visits import CHAT, FEEDBACK, question

PAGE = "https://docs.example"


def visited(server: Server) -> str:
    """A site, whose visitors were told of a kettle, liked one answer and did not get another."""
    made = server.http.post("/api/rag/sources", json={"name": "Docs", "visibility": "public"})
    source = made.json()["id"]
    kettle = {"id": "k", "title": "Kettle", "text": "The warranty of the kettle is 24 months."}
    ingest(server, kettle, source=source)
    body = {"name": "Shop", "origins": [PAGE], "data_sources": [source]}
    site: str = server.http.post("/api/v1/sites", json=body).json()["id"]

    def ask(message: str, **rating: Any) -> None:
        asked, headers = question(message=message), {"X-Site": site, "Origin": PAGE}
        asked["context"]["page_url"] = "/docs/kettle"
        answer = server.http.post(CHAT, json=asked, headers=headers).json()["answer_id"]
        told = {"answer_id": answer, "session_id": asked["context"]["session_id"], **rating}
        if rating:
            assert server.http.post(FEEDBACK, json=told, headers=headers).status_code == 200

    ask("How long is the warranty of the kettle?", helpful=True)
    ask("What is the warranty of the kettle?", helpful=False, comment="Out of date.")
    ask("Who was the emperor of Rome?")
    return site


def test_feedback_is_shown_by_its_kind(open_console: Open, server: Server) -> None:
    visited(server)
    page = open_console("#/feedback")
    rows = page.get_by_role("main").get_by_role("listitem")
    for kind, asked in {
        "Helpful": "How long is the warranty of the kettle?",
        "Unanswered": "Who was the emperor of Rome?",
        "Not helpful": "What is the warranty of the kettle?",
    }.items():
        page.get_by_role("link", name=kind, exact=True).click()
        expect(rows.locator(".name")).to_have_text([asked])
        expect(rows).to_contain_text("Shop · /docs/kettle")
    expect(rows).to_contain_text("Out of date.")
    expect(rows).to_contain_text("From Kettle")
    page.get_by_role("link", name="Try this question").click()
    expect(page.get_by_label("Your question")).to_have_value(asked)


def test_a_site_is_made_with_its_line_to_copy_and_deleted(
    open_console: Open, server: Server
) -> None:
    server.http.post("/api/rag/sources", json={"name": "Docs", "visibility": "public"})
    server.http.post("/api/rag/sources", json={"name": "Own", "visibility": "personal"})
    page = open_console("#/sites", permissions=["clipboard-read", "clipboard-write"])
    expect(page.get_by_text("No sites yet")).to_be_visible()
    page.get_by_role("button", name="New site").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Own")).to_have_count(0)
    expect(dialog.get_by_role("group")).to_contain_text("Anybody on the web who sees such a page")
    expect(dialog.get_by_label("Default")).to_have_accessible_name(
        re.compile("everything that was put there")
    )
    dialog.get_by_label("Name").fill("Shop")
    dialog.get_by_label("Addresses of its pages").fill("docs.example")
    dialog.get_by_label("Docs").check()
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_contain_text("must be an origin such as")
    dialog.get_by_label("Addresses of its pages").fill(PAGE)
    dialog.get_by_role("button", name="Save").click()
    row = page.get_by_role("main").get_by_role("listitem")
    expect(row).to_contain_text(f"On {PAGE}")
    expect(row).to_contain_text("answered from Docs")
    [site] = server.http.get("/api/v1/sites").json()["sites"]
    row.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("status")).to_have_text("The line is copied.")
    line = f'<script src="{server.url}/widget.js" data-site="{site["id"]}" defer></script>'
    assert page.evaluate("navigator.clipboard.readText()") == line
    row.get_by_role("button", name="Delete").click()
    confirm(page)
    expect(page.get_by_text("No sites yet")).to_be_visible()


def test_feedback_and_usage_say_whose_questions_they_are_of(
    open_console: Open, server: Server
) -> None:
    server.http.post(QUERY, json={"query": UNANSWERABLE})
    page = open_console("#/feedback")
    expect(page.get_by_text("No question of a visitor was left unanswered")).to_be_visible()
    expect(page.get_by_text("From the visitors of your sites alone.")).to_be_visible()
    page.get_by_role("link", name="Usage").click()
    expect(page.get_by_text("Of everybody: by the API, in this console")).to_be_visible()
