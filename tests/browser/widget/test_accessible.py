"""Nobody is kept out: what axe-core finds."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.widget.conftest import Visit
from tests.browser.widget.scripted import ScriptedApi, refused, streamed
from tests.browser.widget.test_hostile_answers import MARKDOWN

SOURCES = (
    {"title": "Kettle", "url": "/docs/kettle", "excerpt": "Ends after 24 months."},
    {"title": "Terms", "url": "https://terms.example", "excerpt": "Parts that wear."},
    {"title": "A note", "url": "", "excerpt": "Not covered."},
)


# The colours that axe-core looks at are those within the body.
INTO_BODY = "document.body.append(document.querySelector('footnote-widget'))"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("accent", ["", "#ffd400"], ids=["own accent", "yellow"])
def test_axe_finds_nothing(
    visit: Visit, api: ScriptedApi, axe: Callable[[Page], list[str]], scheme: str, accent: str
) -> None:
    api.look = {"suggestions": ["How long is the warranty?"], "accent": accent}
    chat = visit({"data-site": "site_1"}, color_scheme=scheme, reduced_motion="reduce")
    chat.page.evaluate(INTO_BODY)
    assert axe(chat.page) == []
    chat.select("warranty")
    with chat.page.expect_response("**/look"):
        chat.about.click()
    assert axe(chat.page) == []
    api.replies += [
        # Twice, so that there are two of everything.
        streamed(f"One [1], two [2], three [3].\n\n{MARKDOWN}**\n\n{MARKDOWN}", *SOURCES),
        streamed("-"),
        refused(500, "INTERNAL_ERROR"),
        refused(429, "RATE_LIMIT_EXCEEDED", {"retry_after": 60}),
    ]
    chat.ask()
    chat.button("No, it was not helpful").click()
    chat.panel.get_by_text("Thank you").wait_for()
    assert axe(chat.page) == []
    chat.fail()
    chat.fail("Again?")
    chat.input.fill("x" * 2001)
    assert axe(chat.page) == []
