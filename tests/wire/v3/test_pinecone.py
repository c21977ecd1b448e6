"""v3 with Pinecone in the slot of the index: late, throttling, broken, gone or lying."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from infra.local.pinecone_server import PineconeServer
from infra.local.pinecone_server.lies import LIES
from rag.adapters.pinecone import PineconeIndex
from rag.adapters.pinecone.calls import Calls
from rag.adapters.pinecone.connect import connect
from rag.filters import have_room
from tests.conftest import Clock, Server, serving_pinecone
from tests.ordeal import EITHER, ROUTES, WORKS, Ordeal, Parrot

INDEX = "INDEX_UNAVAILABLE"
# What does not need the index works without it; what is deleted is gone at once for every reader.
FINDS = (
    "create", "replace", "search", "retrieve", "query", "stream", "ask", "go on",
    "visit", "visit stream",
)  # fmt: skip
DOWN = {name: INDEX if name in FINDS else WORKS for name in ROUTES}


@pytest.fixture(scope="module")
def vendor() -> Iterator[PineconeServer]:
    with serving_pinecone(384) as server:
        yield server


@pytest.fixture
def pinecone(vendor: PineconeServer) -> PineconeServer:
    """Pinecone, behaving and empty."""
    vendor.misbehave()
    for namespace in vendor.plane.namespaces()[0]["namespaces"]:
        vendor.plane.delete_namespace(namespace["name"])
    return vendor


@pytest.fixture
def ordeal(start: Callable[..., Server], pinecone: PineconeServer, clock: Clock) -> Ordeal:
    """A server whose index does not wait between its tries, so that tests are quick."""
    handle = connect(pinecone.api_key, pinecone.url)
    calls = Calls(sleep=lambda seconds: None)
    return Ordeal(start(index=PineconeIndex(handle, calls=calls), answerer=Parrot(), clock=clock))


def stored(pinecone: PineconeServer) -> set[str]:
    """The documents that the index holds anything of, for every org."""
    ids = (record["id"] for record in pinecone.plane.everything())
    return {id.partition(".")[0] for id in ids if id.startswith("doc_")}


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "status", "status": 429},
        {"kind": "status", "status": 429, "retry_after": 3600},
        {"kind": "status", "status": 500},
        {"kind": "status", "status": 403},
        {"kind": "drop"},
        {"kind": "malformed"},
        {"kind": "lie", "lie": "shape"},
    ],
    ids=lambda fault: " ".join(str(value) for value in fault.values()),
)
def test_without_the_index_what_needs_it_is_a_503_and_it_recovers(
    ordeal: Ordeal, pinecone: PineconeServer, clock: Clock, fault: dict[str, Any]
) -> None:
    ordeal.undergo(DOWN, lambda: pinecone.misbehave(**fault), pinecone.misbehave)
    clock.now += 4000
    ordeal.server.footnote.ingestion.sweep()
    shown = {document["documentId"] for document in ordeal.state()["documents"]}
    assert len(stored(pinecone) - shown) == 2  # of another org, and of another data source
    assert shown <= stored(pinecone)


@pytest.mark.parametrize("path", ["query", "fetch", "upsert", "describe_index_stats", "delete"])
def test_each_call_may_fail_by_itself(ordeal: Ordeal, pinecone: PineconeServer, path: str) -> None:
    expected = {name: WORKS if how == WORKS else EITHER for name, how in DOWN.items()}
    ordeal.undergo(
        expected,
        lambda: pinecone.misbehave(kind="status", status=500, path=path),
        pinecone.misbehave,
    )


@pytest.mark.parametrize("lie", LIES)
def test_an_index_that_lies_leaks_nothing_breaks_nothing_and_is_forgotten(
    ordeal: Ordeal, pinecone: PineconeServer, lie: str
) -> None:
    expected = {name: WORKS if how == WORKS else EITHER for name, how in DOWN.items()}
    ordeal.undergo(expected, lambda: pinecone.misbehave(kind="lie", lie=lie), pinecone.misbehave)


@pytest.mark.parametrize("fault", [{"slow": 30}, {"stale": 1e9}], ids=str)
def test_an_index_that_hangs_is_left_in_time(
    start: Callable[..., Server],
    pinecone: PineconeServer,
    monkeypatch: pytest.MonkeyPatch,
    fault: dict[str, Any],
) -> None:
    index = PineconeIndex(connect(pinecone.api_key, pinecone.url))
    ordeal = Ordeal(start(index=index, answerer=Parrot()))
    monkeypatch.setattr("rag.wire.route.SECONDS_PER_REQUEST", 0.7)
    late = fault.get("stale")
    expected = {
        name: WORKS if late and name not in ("create", "replace") else how
        for name, how in DOWN.items()
    }

    def recover() -> None:
        pinecone.misbehave()
        pinecone.plane.catch_up()

    ordeal.undergo(expected, lambda: pinecone.misbehave(**fault), recover)


@pytest.mark.parametrize("letter", ["x", "ü", "🦎"])
def test_as_many_tags_as_may_be_sent_can_be_kept_and_found(
    start: Callable[..., Server], pinecone: PineconeServer, letter: str
) -> None:
    http = start(index=PineconeIndex(connect(pinecone.api_key, pinecone.url))).http
    most = {f"{number:02d}".ljust(256, letter): None for number in range(100)}
    while not have_room(most):
        most.popitem()
    metadata = {f"{number:020d}": f"2026-01-01T00:00:00.{number:06d}" for number in range(1000)}
    body = {"source": "s" * 128, "path": "p", "title": "t", "text": "Newts live in ponds."}
    body |= {"tags": [*most], "metadata": metadata}
    assert http.post("/api/rag/ingest", json=body).json()["status"] == "created"
    last, first = [*most][-1], next(iter(metadata))
    filters = [
        {"field": "tags", "op": "eq", "value": last},
        {"field": first, "op": "gte", "value": metadata[first]},
    ]
    found = http.post("/api/rag/retrieve", json={"query": "newts", "filters": filters}).json()
    assert found["totalFound"] == 1
