"""What was asked and stored, as the console draws it."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.console.conftest import Open
from tests.conftest import Server
from tests.wire.platform.questions import QUESTION, UNANSWERABLE, asked, tell


def test_usage_is_drawn_and_told_in_a_table(open_console: Open, server: Server) -> None:
    tell(server.http)
    for query in (QUESTION, QUESTION, UNANSWERABLE):
        asked(server.http, query)
    page = open_console("#/usage")
    expect(page.get_by_role("img", name="3 questions in 30 days, at most 3 a day.")).to_be_visible()
    today = page.locator("svg g").last
    expect(today.locator("title")).to_contain_text("3 questions, 1 not answered")
    answered, refused = (today.locator(kind) for kind in (".yes", ".no"))
    heights = [float(bar.get_attribute("height") or 0) for bar in (answered, refused)]
    assert heights[0] == 2 * heights[1] > 0
    page.get_by_text("The same as a table").click()
    cells = page.get_by_role("row").nth(1).get_by_role("cell")
    expect(cells).to_have_text(["3", "1", "0", "3", "0", "0"])


def test_storage_and_limits_are_told(open_console: Open, server: Server) -> None:
    tell(server.http)
    page = open_console("#/usage")
    expect(page.get_by_text("of 10 GB of text, in 3 documents")).to_be_visible()
    assert 0 < float(page.get_by_role("meter").evaluate("one => one.value")) < 1000
    for words in ("Largest file", "50 MB", "1,000,000 tokens of text", "any number"):
        expect(page.locator(".facts")).to_contain_text(words)
