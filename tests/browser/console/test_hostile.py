"""Whatever files, documents and visitors bring is text, and nothing of it runs."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.console.conftest import Open
from tests.browser.console.steps import ask, choose, file, ingest, upload
from tests.conftest import Server

NAME = "<img src=x onerror=window.ran=1>.md"
TITLE = "<script>window.ran=1</script><b>Newts</b>"
TEXT = f"# {TITLE}\n\nNewts sleep under <img src=x onerror=window.ran=1> stones in winter."


def is_text(page: Page) -> None:
    assert page.evaluate("window.ran") is None
    assert page.locator("main img, main script, main b b").count() == 0


def test_markup_in_names_titles_texts_and_questions_shows_as_it_is(open_console: Open) -> None:
    page = open_console()
    choose(page, file(NAME, TEXT))
    row = upload(page, NAME)
    expect(row).to_contain_text("Ready")
    row.get_by_role("link", name="Ask about it").click()
    expect(page.get_by_text(NAME).last).to_be_visible()
    answer = ask(page, "Where do <b>newts</b> sleep in winter?")
    expect(answer.locator("blockquote").first).to_contain_text("<img src=x")
    is_text(page)
    answer.get_by_role("link", name="Read these words").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("<b>Newts</b>")
    expect(page.get_by_role("region", name="Text")).to_contain_text("under <img src=x onerror")
    is_text(page)
    page.get_by_role("link", name="Jobs", exact=True).click()
    expect(page.locator(".view.jobs")).to_contain_text(NAME)
    is_text(page)


def test_an_address_that_is_no_web_page_is_no_link(open_console: Open, server: Server) -> None:
    sent = {"id": "n", "title": "N", "text": "Newts.", "url": "javascript:window.ran=1"}
    ingest(server, sent)
    page = open_console("#/documents")
    page.get_by_role("link", name="N", exact=True).click()
    address = page.get_by_text("javascript:window.ran=1")
    expect(address).to_be_visible()
    assert address.evaluate("one => one.closest('a')") is None
