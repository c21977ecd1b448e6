"""`make pictures`: the README's pictures, taken of the real thing by a real browser."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser, FilePayload, Page, sync_playwright

from infra.local.chromium import launched

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "infra" / "pictures"
PORT = 3199
URL = f"http://127.0.0.1:{PORT}"
DESK = {"width": 1200, "height": 780}
PHONE = {"width": 390, "height": 780}
PATIENCE = 60  # seconds

# A handbook, so that the console has something to show.
FILES = {
    "travel.md": "# Travel policy\n\nBook trains rather than flights for journeys under five hours."
    " Hotel rooms are paid up to 140 euros a night, breakfast included. Receipts are due within 30"
    " days.\n",
    "visitors.md": "# Visitors\n\nVisitors wear a yellow badge and are met at the door. Whoever"
    " invites them books a room two days ahead.\n",
    "offices.md": "# Offices\n\nThe office in Lyon has twelve rooms. Rooms are cleaned at night.\n",
    "minutes.doc": "These are no minutes.\x00\x01\n",
}
HOTELS = "Up to how many euros a night are hotel rooms paid?"
OPENED = "Does a write survive kill -9?"
BRIEF = "How long are tokens valid?"


def main() -> int:
    """Take every picture anew."""
    PICTURES.mkdir(exist_ok=True)
    with serving(), sync_playwright() as playwright:
        browser = launched(playwright)
        widget(browser)
        console(browser)
        browser.close()
    return 0


@contextmanager
def serving() -> Iterator[None]:
    """The embedded server, with nothing in it but its documentation."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PORT": str(PORT), "DATA_DIR": folder, "LOG_LEVEL": "ERROR"}
        server = subprocess.Popen([sys.executable, "-m", "infra.local.serve"], env=environment)
        try:
            _wait_for_documentation()
            yield
        finally:
            server.terminate()
            server.wait()


def widget(browser: Browser) -> None:
    """The chat on our own documentation: on a desk, and in the dark on a phone."""
    page = opened(browser, "/", viewport=DESK)
    page.get_by_role("button", name=OPENED).click()
    page.get_by_text("Was this helpful?").wait_for()
    taken(page, "widget")
    page = opened(browser, "/", viewport=PHONE, color_scheme="dark", has_touch=True)
    page.get_by_role("button", name=BRIEF).click()
    page.get_by_text("Was this helpful?").wait_for()
    taken(page, "widget-phone")


def console(browser: Browser) -> None:
    """Files that have come in, one of which cannot be read; and an answer with its reasons."""
    page = opened(browser, "/console", viewport=DESK, color_scheme="dark")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose files").click()
    files = [
        FilePayload(name=name, mimeType="", buffer=text.encode()) for name, text in FILES.items()
    ]
    chooser.value.set_files(files)
    page.get_by_text("Ready").nth(2).wait_for()
    taken(page, "console-upload")
    page = opened(browser, "/console", viewport={**DESK, "height": 1500})
    page.get_by_label("Your question").fill(HOTELS)
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_role("region", name="How this came about").wait_for()
    taken(page, "console")


def opened(browser: Browser, path: str, **context: Any) -> Page:
    """A page as somebody new sees it."""
    page = browser.new_context(**context).new_page()
    page.goto(f"{URL}{path}")
    return page


def taken(page: Page, name: str) -> None:
    """Wait until nothing moves, and keep what is seen."""
    page.wait_for_timeout(700)
    page.screenshot(path=PICTURES / f"{name}.png")


def _wait_for_documentation() -> None:
    asked = {
        "message": OPENED,
        "context": {"mode": "browse", "session_id": "550e8400-e29b-41d4-a716-446655440000"},
        "tier": "anonymous",
    }
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        time.sleep(7)  # slower than what a visitor may ask
        with suppress(httpx.TransportError):
            if httpx.post(f"{URL}/api/v1/chat", json=asked).json().get("sources"):
                return
    raise TimeoutError("The documentation is not there.")


if __name__ == "__main__":
    sys.exit(main())
