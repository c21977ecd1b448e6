"""Debian's Chromium, by which pages are tried, measured and shown."""

from __future__ import annotations

import shutil

from playwright.sync_api import Browser, Playwright

PATH = shutil.which("chromium")
# A test is not to ask anything of the world.
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run",
)  # fmt: skip


def launched(playwright: Playwright) -> Browser:
    """A new one."""
    return playwright.chromium.launch(executable_path=PATH, args=list(FLAGS))
