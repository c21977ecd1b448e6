"""The console for everybody: by day and night, on a phone, by keyboard, to be listened to."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.console.conftest import Open
from tests.browser.console.steps import ask, drop, upload
from tests.browser.console.test_sites import visited
from tests.conftest import Server
from tests.wire.platform.questions import QUESTION, tell

VIEWS = ["ask", "documents", "jobs", "sources", "sites", "feedback?show=all", "usage"]
PHONE = {"viewport": {"width": 375, "height": 667}, "has_touch": True}
LONG = "a-name-that-never-ends-" * 8


def fill(server: Server) -> None:
    """Something to see in every view."""
    tell(server.http)
    visited(server)
    text = {"source": "s", "path": f"/{LONG}", "title": LONG, "text": f"Newts. {LONG}"}
    server.http.post("/api/rag/ingest", json={**text, "tags": [LONG], "metadata": {LONG: LONG}})
    server.http.post("/api/rag/sources", json={"name": LONG, "visibility": "role", "roles": [LONG]})


def go(page: Page, view: str) -> None:
    page.evaluate("view => { location.hash = `#/${view}`; }", view)
    expect(page.get_by_role("main").get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator(".loading:visible")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("filled", [True, False])
def test_nobody_is_kept_out_of_any_view(
    open_console: Open,
    server: Server,
    axe: Callable[[Page], list[str]],
    scheme: str,
    filled: bool,
) -> None:
    if filled:
        fill(server)
    page = open_console(color_scheme=scheme)
    for view in VIEWS:
        go(page, view)
        assert axe(page) == [], view
    go(page, "sources")
    page.get_by_role("button", name="New data source").click()
    assert axe(page) == []
    page.keyboard.press("Escape")
    drop(page, {"newts.md": "Newts.", "photo.png": "\u0089PNG"})
    expect(upload(page, "newts.md")).to_contain_text("Ready")
    go(page, "ask")
    ask(page, QUESTION)
    assert axe(page) == []
    upload(page, "newts.md").get_by_role("link", name="Read it").click()
    expect(page.get_by_role("heading", name="Text")).to_be_visible()
    assert axe(page) == []


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_no_view_is_wider_than_a_phone(open_console: Open, server: Server, direction: str) -> None:
    fill(server)
    page = open_console(**PHONE)
    page.evaluate("way => { document.documentElement.dir = way; }", direction)
    for view in VIEWS:
        go(page, view)
        assert page.evaluate("document.documentElement.scrollWidth") <= 375, view
    go(page, "documents")
    page.get_by_role("link", name=LONG).click()
    expect(page.get_by_role("heading", name="Text")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    go(page, "ask")
    ask(page, QUESTION)
    assert page.evaluate("document.documentElement.scrollWidth") <= 375


def test_an_empty_view_says_what_to_do(open_console: Open) -> None:
    page = open_console()
    for view, words in {
        "ask": "Drop a PDF here, then ask about it",
        "documents": "Drop a file here: a few seconds later you can ask about it.",
        "jobs": "Every file that you drop here becomes a job",
        "sites": "Make one, put its line into your pages",
        "feedback": "your documents lack is listed here",
    }.items():
        go(page, view)
        expect(page.get_by_text(words)).to_be_visible()


def test_everything_can_be_done_by_keyboard(open_console: Open, server: Server) -> None:
    tell(server.http)
    page = open_console()
    expect(page.get_by_label("Your question")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Choose files")).to_be_focused()
    for _ in range(3):
        page.keyboard.press("Tab")
    expect(page.get_by_label("Your question")).to_be_focused()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    marker = page.get_by_role("button", name="Source 1: Hotels").first
    expect(marker).to_be_visible()
    while not marker.evaluate("one => one === document.activeElement"):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".quote").first).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("mark")).to_be_focused()
    page.get_by_role("button", name="Delete Hotels").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").get_by_role("button", name="Cancel")).to_be_focused()
    for _ in range(4):
        page.keyboard.press("Tab")
        assert page.evaluate(
            "document.activeElement === document.body || !!document.activeElement.closest('dialog')"
        )
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Delete Hotels")).to_be_focused()
