"""The documentation as the demo's documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from queue import Queue

import httpx
import pytest

from infra.local.demo import SOURCE, bring_up_to_date, demonstrating
from rag.identity import principal_of
from rag.model import Draft
from rag.stores.sites import DEMO
from rag.wire.site.guide import GUIDE, Page
from tests.conftest import Server

POND = Page("pond", "Ponds", "## Ponds\n\nA pond of ours holds forty newts.\n", GUIDE)
SNAIL = Page("snail", "Snails", "## Snails\n\nNewts eat snails at night.\n", GUIDE)
ASKED = {
    "message": "How many newts does a pond hold?",
    "context": {"mode": "browse", "session_id": "550e8400-e29b-41d4-a716-446655440000"},
    "tier": "anonymous",
}


def documents(server: Server) -> dict[str, str]:
    found = server.footnote.documents.all(DEMO.org)
    return {one.title: one.version for one in found}


def test_whoever_opens_the_page_is_answered_with_the_place_on_it(server: Server) -> None:
    bring_up_to_date(server.footnote, [POND, SNAIL])
    told = server.http.post("/api/v1/chat", json=ASKED).json()
    assert "forty newts" in told["answer"]
    assert told["sources"][0]["url"] == "/guide/pond#ponds"


def test_pages_that_stay_the_same_are_left_alone_and_others_replaced(server: Server) -> None:
    bring_up_to_date(server.footnote, [POND, SNAIL])
    before = documents(server)
    changed = replace(POND, text="## Ponds\n\nA pond of ours holds fifty newts.\n")
    bring_up_to_date(server.footnote, [changed])
    after = documents(server)
    assert set(after) == {"Ponds"}
    assert after["Ponds"] != before["Ponds"]
    bring_up_to_date(server.footnote, [changed])
    assert documents(server) == after


def test_nothing_of_it_is_among_ones_own(server: Server) -> None:
    bring_up_to_date(server.footnote, [POND])
    http: httpx.Client = server.http
    assert http.get("/api/rag/documents").json()["documents"] == []
    assert [one["id"] for one in http.get("/api/rag/sources").json()["sources"]] == ["default"]
    found = http.post("/api/rag/search", json={"query": ASKED["message"]}).json()
    assert found["resultCount"] == 0


def test_nobody_can_be_of_its_org() -> None:
    with pytest.raises(ValueError, match="org must be"):
        principal_of({"sub": "ann", "org": DEMO.org})


def test_what_is_not_its_own_it_does_not_remove(server: Server) -> None:
    server.footnote.ingestion.ingest(DEMO.org, Draft("wiki", "mine", "Mine", "Mine alone."))
    bring_up_to_date(server.footnote, [POND])
    assert set(documents(server)) == {"Mine", "Ponds"}


def test_a_source_that_was_closed_stays_closed(server: Server) -> None:
    bring_up_to_date(server.footnote, [POND])
    sources = server.footnote.sources
    source = sources.get(DEMO.org, SOURCE)
    assert source is not None
    closed = replace(source, access=replace(source.access, visibility="personal"))
    sources.change(DEMO.org, source, closed)
    bring_up_to_date(server.footnote, [POND])
    assert server.http.post("/api/v1/chat", json=ASKED).json()["sources"] == []


def test_it_happens_beside_the_server_and_tells_of_failures(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed: Queue[Exception] = Queue()
    monkeypatch.setattr(server.footnote, "sources", None)
    with demonstrating(server.footnote, [POND], failed=failed.put):
        assert isinstance(failed.get(timeout=60), AttributeError)


def test_whoever_has_another_default_site_has_no_demo(start: Callable[..., Server]) -> None:
    server = start({"DEFAULT_SITE": "site_0"})
    with demonstrating(server.footnote, [POND], failed=pytest.fail):
        pass
    assert documents(server) == {}
