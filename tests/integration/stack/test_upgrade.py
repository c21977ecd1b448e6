"""What an earlier release has written is brought up to date by the sweeper, as its role allows."""

from __future__ import annotations

import time
from typing import Any

import httpx
import pytest

from infra.local.backends import KEY
from rag.adapters.aws.items import DynamoItems
from rag.ingest.outdated import NAME
from rag.ports import Delete, Put, Update
from rag.stores import layout
from tests.integration.stack.conftest import Org, Running, until

pytestmark = pytest.mark.integration

NEWTS = {"source": "wiki", "path": "newts", "title": "Newts", "text": "Newts live in ponds."}
# All that an entry had to be filtered by, and what the adapter keeps of its own.
THEN = ("document", "data_source", "source", "tags", "_passages")


def test_what_was_indexed_before_is_found_by_its_metadata_after_a_sweep(
    org: Org, running: Running
) -> None:
    body = {**NEWTS, "tags": ["ponds"], "metadata": {"year": 2024, "due": "2026-01-31"}}
    id = org.http.post("/api/rag/ingest", json=body).raise_for_status().json()["documentId"]
    items = DynamoItems(running.aws("dynamodb"), running.settings["ITEMS_TABLE"], time.time)
    _as_before(running, items, org.name, id)

    def found(field: str, op: str, value: Any) -> list[str]:
        filters = [{"field": field, "op": op, "value": value}]
        asked = {"query": "Where do newts live?", "filters": filters}
        answer = org.http.post("/api/rag/retrieve", json=asked).raise_for_status()
        return [document["id"] for document in answer.json()["documents"]]

    assert found("tags", "eq", "ponds") == [id]
    assert found("year", "gte", 2024) == []

    def swept() -> list[str]:
        # It is known since long that there is something to do, whatever other sweeps have seen.
        items.write(Put(layout.work_state(NAME), {"since": 0, "over": False}))
        running.sweep()
        return found("year", "gte", 2024)

    assert until(swept) == [id]
    assert found("due", "lt", "2026-02-01") == [id]
    assert found("year", "ne", 2024) == []


def _as_before(running: Running, items: DynamoItems, org: str, document: str) -> None:
    """Take from the document, in table and index, what came with filters over metadata."""
    items.write(Update(layout.document(org, document), set={"fields": None}))
    items.write(Delete(layout.work_in(NAME, org)))
    with httpx.Client(base_url=running.settings["PINECONE_HOST"], headers={"Api-Key": KEY}) as http:
        listed = http.get("/vectors/list", params={"namespace": org}).json()["vectors"]
        ids = [one["id"] for one in listed]
        told = http.get("/vectors/fetch", params={"namespace": org, "ids": ids}).json()
        records = list(told["vectors"].values())
        assert records
        for one in records:
            assert "facts" in one["metadata"]
            one["metadata"] = {name: one["metadata"][name] for name in THEN}
        written = http.post("/vectors/upsert", json={"namespace": org, "vectors": records})
        assert written.raise_for_status().json() == {"upsertedCount": len(records)}
