"""What functions did, each with its own role, is told by another."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.stack.conftest import Org, until
from tests.integration.stack.test_widget import asked, site

pytestmark = pytest.mark.integration

POSTED = {"source": "wiki", "path": "/kettle", "title": "Kettle", "text": "Kettles boil water."}
NEWTS = {"id": "newts", "title": "Newts", "text": "Newts live in ponds."}
QUESTION = "Where do newts live?"


def test_all_that_is_done_anywhere_is_counted_for_its_org(org: Org) -> None:
    # A role that may not write it would fail nothing: so that it may is seen here alone.
    source = org.source("public")
    assert org.http.post("/api/rag/ingest", json=POSTED).status_code == 200
    assert org.ended(org.send(source, NEWTS)["jobId"])["status"] == "completed"
    assert org.search(QUESTION)
    assert org.http.post("/api/rag/query", json={"query": QUESTION}).status_code == 200
    visit = org.http.post(
        "/api/v1/chat", json=asked(QUESTION), headers={"X-Site": site(org, source)}
    )
    assert visit.status_code == 200, visit.text
    expected = {"ingested": 2, "searches": 1, "questions": 2, "abstained": 0, "failed": 0}

    def counted() -> dict[str, Any] | None:
        """Of two days, because it may be midnight; a worker's job is done before it is counted."""
        answer = org.http.get("/api/rag/usage", params={"days": 2})
        told: dict[str, Any] = answer.raise_for_status().json()
        days = told["days"]
        sums = {kind: sum(day[kind] for day in days) for kind in expected}
        return told if sums == expected else None

    told = until(counted)
    assert sum(day["tokens"] for day in told["days"]) > 0
    assert (told["storage"]["documents"], told["limits"]["perMinute"]["full"]) == (2, 100)
