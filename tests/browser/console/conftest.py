"""The console in a browser, over a server that works on what it is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import pytest
from playwright.sync_api import Page

from infra.local.worker import working
from tests.browser.conftest import Watched
from tests.conftest import Server

Open: TypeAlias = Callable[..., Page]
HOTELS = "Hotel rooms cost up to 140 euros a night. Breakfast is always included."


def fail(error: Exception) -> None:
    raise error


@pytest.fixture
def open_console(server: Server, watched: Watched) -> Iterator[Open]:
    """Opens a view of the console, while a worker follows what is uploaded."""

    def open(view: str = "", **context: Any) -> Page:
        return watched.open(f"{server.url}/console{view}", **context)

    with working(server.footnote.parts.queue, server.footnote.worker, failed=fail):
        yield open


@pytest.fixture
def hotels(server: Server) -> str:
    """The id of a document that there is."""
    body = {"source": "s", "path": "/hotels", "title": "Hotels", "text": HOTELS, "tags": ["policy"]}
    id: str = server.http.post("/api/rag/ingest", json=body).json()["documentId"]
    return id
