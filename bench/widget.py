"""`python -m bench.widget`: what the widget costs a page on which nobody opens it.

Chromium loads the same page with an empty script and with the widget, in turns. What is told is
the time of the main thread: of the script itself, and of all that the page has to do until it is
at rest.
"""

from __future__ import annotations

import json
import statistics
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from gzip import compress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from bench.sla import print_table
from infra.local import chromium

WIDGET = Path(__file__).parents[1] / "widget" / "widget.js"
RUNS = 15
AT_REST = 300  # milliseconds after the load
PARAGRAPHS = 200
PAGE = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>A page</title>"
    '<script src="/{script}.js" data-site="site_1" defer></script>'
    + "<p>Some words that stand on a page of somebody's, and are laid out.</p>"
    * PARAGRAPHS
)


class Cost(NamedTuple):
    """Milliseconds of the main thread."""

    script: float
    page: float


@contextmanager
def site() -> Iterator[str]:
    """The address of the two pages, and of their scripts."""
    widget = WIDGET.read_bytes()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.strip("/")
            is_script = name.endswith(".js")
            script = widget if name == "widget.js" else b""
            self.send_response(200)
            self.send_header("Content-Type", "text/javascript" if is_script else "text/html")
            self.end_headers()
            self.wfile.write(script if is_script else PAGE.format(script=name).encode())

        def log_message(self, *_: Any) -> None:
            """Nobody is interested."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def load(browser: Browser, url: str) -> Cost:
    """What one load costs, in a browser that has nothing of it in its cache."""
    with browser.new_page() as page:
        devtools = page.context.new_cdp_session(page)
        devtools.send("Performance.enable")
        _rest(page, url)
        metrics = devtools.send("Performance.getMetrics")["metrics"]
    # Once more: whoever is watched so closely is slower.
    with browser.new_page() as page:
        browser.start_tracing(page=page, categories=["devtools.timeline"])
        _rest(page, url)
        trace = json.loads(browser.stop_tracing())
    (tasks,) = (one["value"] * 1000 for one in metrics if one["name"] == "TaskDuration")
    return Cost(sum(_of_script(trace["traceEvents"])), tasks)


def _rest(page: Page, url: str) -> None:
    page.goto(url)
    page.wait_for_timeout(AT_REST)


def _of_script(events: Sequence[dict[str, Any]]) -> Iterator[float]:
    for event in events:
        url = event.get("args", {}).get("data", {}).get("url", "")
        if event["name"] == "EvaluateScript" and url.endswith(".js"):
            yield event["tdur"] / 1000  # it is compiled within; others' work does not count


def main() -> None:
    """Print the medians of several loads."""
    if chromium.PATH is None:
        sys.exit("There is no chromium: apt-get install chromium")
    costs: dict[str, list[Cost]] = {"empty": [], "widget": []}
    with site() as url, sync_playwright() as playwright:
        browser = chromium.launched(playwright)
        for _ in range(RUNS):
            for name, seen in costs.items():
                seen.append(load(browser, f"{url}/{name}"))
        browser.close()
    medians = {
        name: Cost(*(statistics.median(one) for one in zip(*seen, strict=True)))
        for name, seen in costs.items()
    }
    empty, widget = medians["empty"], medians["widget"]
    print(f"{len(compress(WIDGET.read_bytes(), 9)):,} bytes gzipped; medians of {RUNS} loads, ms")
    print_table(
        ("page with", "", "the script", "all of the page"),
        [(name, "", f"{one.script:.1f}", f"{one.page:.1f}") for name, one in medians.items()],
    )
    more, times = widget.page - empty.page, widget.page / empty.page
    print(f"The widget costs the page {more:.1f} ms more, {times:.2f} times an empty script.")


if __name__ == "__main__":
    main()
