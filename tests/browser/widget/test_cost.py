"""What it costs a page that nobody asks anything on."""

from __future__ import annotations

import gzip

from tests.browser.conftest import HostPage
from tests.browser.widget.conftest import Visit
from tests.browser.widget.scripted import WIDGET, ScriptedApi

LARGEST = 20_000  # bytes, as they are sent


def test_it_is_small() -> None:
    assert len(gzip.compress(WIDGET.read_bytes(), 9)) < LARGEST


def test_one_request_and_one_element_until_it_is_opened(
    visit: Visit, api: ScriptedApi, host_page: HostPage
) -> None:
    chat = visit({"data-site": "site_1"})
    chat.page.wait_for_load_state("networkidle")
    assert [one.path for one in api.requests] == ["/widget.js"]
    assert chat.count(".root *:not(svg *)") == 3  # a section, its button, the icon
    assert chat.page.evaluate("sessionStorage.length") == 0
    with chat.page.expect_response("**/look"):
        chat.open()
    assert [one.path for one in api.requests][1:] == ["/api/v1/sites/site_1/look"]
