"""A real browser for tests, and pages in it that fail where anything goes wrong unseen."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)

from infra.local import chromium
from tests.conftest import Server

# A page that waits longer than that for something will wait for ever.
MOST_MILLISECONDS = 15_000
# What the browser says of every answer of 400 and more, though a script copes with it.
FAILED_TO_LOAD = "Failed to load resource"

expect.set_options(timeout=MOST_MILLISECONDS)


# A browser's loop would be in the way of tests of other modules, so that each has its own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, one for the tests of a module."""
    if chromium.PATH is None:
        pytest.skip("there is no chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = chromium.launched(playwright)
        yield browser
        browser.close()


class Watched:
    """Pages, and whatever their scripts, or the browser, complained of."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self.complaints: list[str] = []

    def open(self, url: str, **context: Any) -> Page:
        """A page as somebody new has it, who may have a phone, a language, a colour scheme…"""
        self._contexts.append(self._browser.new_context(**context))
        self._contexts[-1].set_default_timeout(MOST_MILLISECONDS)
        page = self._contexts[-1].new_page()
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(url)
        return page

    def close(self) -> None:
        for context in self._contexts:
            context.close()

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and FAILED_TO_LOAD not in message.text:
            self.complaints.append(message.text)


@pytest.fixture
def watched(browser: Browser) -> Iterator[Watched]:
    """Pages that complain of nothing: errors of scripts, and what a policy had to stop, fail the
    test. One that expects some empties `complaints`."""
    watched = Watched(browser)
    yield watched
    watched.close()
    assert watched.complaints == []


@pytest.fixture
def open_page(server: Server, watched: Watched) -> Callable[..., Page]:
    """Opens a page of the server."""

    def open(path: str = "/", **context: Any) -> Page:
        return watched.open(f"{server.url}{path}", **context)

    return open


class HostPage:
    """Somebody's web site, on an origin of its own: one page, under a policy of its choice."""

    def __init__(self) -> None:
        self.html = ""
        self.policy: str | None = None
        self.files: dict[str, str] = {}  # scripts and style sheets, by path
        page = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                text = page.files.get(path, page.html)
                kinds = {"js": "text/javascript", "css": "text/css"}
                kind = kinds.get(path.rpartition(".")[2], "text/html")
                self.send_response(200)
                self.send_header("Content-Type", f"{kind}; charset=utf-8")
                if page.policy is not None:
                    self.send_header("Content-Security-Policy", page.policy)
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}
        )
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def host_page() -> Iterator[HostPage]:
    """A page of another origin than the server's."""
    page = HostPage()
    yield page
    page.stop()


@pytest.fixture(scope="session")
def axe() -> Callable[[Page], list[str]]:
    """What is in the way of people who cannot see, or point: one line for each."""
    scanner = Axe()

    def violations(page: Page) -> list[str]:
        found = scanner.run(page).response["violations"]
        return [
            f"{one['id']}: {node['html'][:200]} {node['failureSummary']}"
            for one in found
            for node in one["nodes"]
        ]

    return violations
