"""The documentation answers for itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from infra.local.demo import bring_up_to_date
from infra.local.serve import SITE
from rag.wire.site.guide import pages
from tests.conftest import Server

Open = Callable[..., Page]
PARTS = "how-the-parts-fit"


@pytest.fixture
def documented(server: Server) -> Server:
    """A server whose visitors may ask of one page of the documentation."""
    bring_up_to_date(server.footnote, [page for page in pages(SITE) if page.name == PARTS])
    return server


@pytest.mark.usefixtures("documented")
def test_a_question_of_the_first_page_is_answered_with_the_page_that_says_so(
    open_page: Open,
) -> None:
    page = open_page()
    page.get_by_label("Ask the documentation").fill("Does a write survive kill -9?")
    page.get_by_role("button", name="Ask", exact=True).click()
    chat = page.get_by_role("dialog")
    expect(chat).to_contain_text("survives")
    chat.get_by_role("link", name="How the parts fit").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("How the parts fit")
    # The conversation goes along.
    expect(page.get_by_role("dialog")).to_contain_text("survives")


@pytest.mark.usefixtures("documented")
def test_what_the_documentation_does_not_say_is_not_said(open_page: Open) -> None:
    page = open_page()
    page.get_by_role("button", name="What is the capital of France?").click()
    expect(page.get_by_role("dialog")).to_contain_text("The documents do not say.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.usefixtures("documented")
def test_with_the_chat_open_nobody_is_kept_out(
    open_page: Open, axe: Callable[[Page], list[str]], scheme: str
) -> None:
    page = open_page(color_scheme=scheme)
    page.get_by_role("button", name="Does a write survive kill -9?").click()
    expect(page.get_by_text("Was this helpful?")).to_be_visible()
    assert axe(page) == []


def test_the_contents_are_found_by_keyboard_on_a_phone(open_page: Open) -> None:
    page = open_page(viewport={"width": 375, "height": 667})
    contents = page.get_by_role("navigation", name="Documentation")
    expect(contents).to_be_hidden()
    page.get_by_text("Contents").focus()
    page.keyboard.press("Enter")
    contents.get_by_role("link", name="Formats").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Formats")


def test_right_to_left_nothing_is_cut_off(open_page: Open) -> None:
    page = open_page("/guide/formats", viewport={"width": 375, "height": 667})
    page.evaluate("document.documentElement.dir = 'rtl'")
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
