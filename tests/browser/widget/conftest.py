"""A page of somebody's with the widget on it, and what a visitor does there."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from html import escape
from typing import Any

import pytest

from tests.browser.conftest import HostPage, Watched
from tests.browser.widget.chat import Chat
from tests.browser.widget.scripted import Reply, ScriptedApi, answer, event

ARTICLE = """
<h1>Kettle manual</h1>
<p id="warranty">The warranty of the kettle ends after 24 months.</p>
<p><label>Your name <input id="name" value="written by hand"></label></p>
<p id="note" contenteditable="true" role="textbox" aria-label="Note">A note of one's own.</p>
<p><button id="before">A button of the page</button></p>
"""


@pytest.fixture
def api() -> Iterator[ScriptedApi]:
    """The widget's API, which says what a test wants."""
    api = ScriptedApi()
    yield api
    api.stop()


Visit = Callable[..., Chat]


@pytest.fixture
def visit(watched: Watched, host_page: HostPage, api: ScriptedApi) -> Visit:
    """Opens the page; what is said of the script are its attributes, and `head`, `html` and
    `policy` the page's own. What else there is belongs to the browser."""

    def open(
        attributes: dict[str, str] | None = None,
        *,
        url: str = "",
        head: str = "",
        html: str = 'lang="en"',
        article: str = ARTICLE,
        policy: str | None = None,
        **context: Any,
    ) -> Chat:
        said = "".join(f' {name}="{escape(text)}"' for name, text in (attributes or {}).items())
        host_page.policy = policy
        host_page.html = (
            f'<!doctype html><html {html}><head><meta charset="utf-8"><title>Kettles</title>'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f'{head}<script src="{url or api.url}/widget.js"{said} defer></script></head>'
            f"<body><header>Kettles</header><main>{article}</main><footer>Us</footer></body></html>"
        )
        return Chat(watched.open(f"{host_page.origin}/docs/kettle?visitor=7#top", **context))

    return open


class Gate:
    """An answer whose second sentence waits until the gate is open."""

    def __init__(self) -> None:
        self.open = threading.Event()
        whole = answer("First. Second.")
        steps = (event(type="chunk", text="First."), self.open)
        rest = (event(type="chunk", text=" Second."), event(type="complete", **whole))
        self.reply = Reply([*steps, *rest], kind="text/event-stream")


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.open.set()
