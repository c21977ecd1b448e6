"""`PineconeIndex` with a vendor that is late, throttling, broken or gone."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from infra.local.pinecone_server import PineconeServer
from rag.adapters.pinecone import PineconeIndex, freshness
from rag.adapters.pinecone.calls import TRIES
from rag.adapters.pinecone.connect import connect
from rag.errors import DeadlineExceeded, IndexUnavailable
from rag.model import Condition, Entry
from rag.timing import time_limit

UNITS = np.eye(8, dtype=np.float32)


def entry(id: str, passages: int = 1) -> Entry:
    return Entry(id, tuple(UNITS[:passages]), ("cat",), {"source": "s", "tags": ("x", "y")})


def stored(server: PineconeServer, namespace: str = "o") -> list[str]:
    body, _ = server.plane.list(namespace, "", 1000, "")
    return [one["id"] for one in body["vectors"]]


@pytest.mark.parametrize(
    "fault",
    [{"kind": "status", "status": status} for status in (429, 500, 503)] + [{"kind": "drop"}],
)
def test_what_may_pass_is_tried_again(
    index: PineconeIndex, pinecone_server: PineconeServer, waits: list[float], fault: dict[str, Any]
) -> None:
    index.upsert("o", [entry("a")])
    pinecone_server.misbehave(**fault, times=TRIES - 1)
    assert [hit.id for hit in index.nearest("o", UNITS[0], (), 5)] == ["a"]
    assert len(waits) == TRIES - 1
    assert waits[-1] > waits[0]
    pinecone_server.misbehave(**fault)
    with pytest.raises(IndexUnavailable) as failed:
        index.nearest("o", UNITS[0], (), 5)
    assert failed.value.__cause__


def test_a_refusal_is_not_tried_again(
    index: PineconeIndex, pinecone_server: PineconeServer, waits: list[float]
) -> None:
    pinecone_server.misbehave(kind="status", status=403)
    with pytest.raises(IndexUnavailable, match="403"):
        index.maker()
    assert waits == []


def test_a_wrong_key_is_said(pinecone_server: PineconeServer) -> None:
    with (
        connect("wrong", pinecone_server.url) as handle,
        pytest.raises(IndexUnavailable, match="401"),
    ):
        PineconeIndex(handle).maker()


def test_the_vendors_wish_to_wait_is_respected(
    index: PineconeIndex, pinecone_server: PineconeServer, waits: list[float]
) -> None:
    pinecone_server.misbehave(kind="status", status=429, retry_after=3, times=1)
    index.maker()
    assert waits == [3.0]
    pinecone_server.misbehave(kind="status", status=429, retry_after=3, times=1)
    with time_limit(2), pytest.raises(IndexUnavailable):
        index.maker()


def test_half_an_upsert_is_found_and_made_whole(
    index: PineconeIndex, pinecone_server: PineconeServer
) -> None:
    pinecone_server.misbehave(kind="partial", times=1, path="upsert")
    index.upsert("o", [entry(f"e{n}", 2) for n in range(10)])
    assert len(stored(pinecone_server)) == 20


def test_a_write_is_done_when_a_read_sees_it(pinecone_server: PineconeServer) -> None:
    pinecone_server.misbehave(stale=0.3)
    with connect(pinecone_server.api_key, pinecone_server.url) as handle:
        index = PineconeIndex(handle)
        started = time.monotonic()
        index.upsert("o", [entry("a")])
        assert time.monotonic() - started >= 0.3
        assert [hit.id for hit in index.nearest("o", UNITS[0], (), 5)] == ["a"]


def test_a_write_that_nobody_sees_fails_in_bounded_time(
    index: PineconeIndex, pinecone_server: PineconeServer
) -> None:
    pinecone_server.misbehave(stale=1e9)
    with pytest.raises(IndexUnavailable, match="does not show"):
        index.upsert("o", [entry("a")])


def test_without_log_numbers_the_records_themselves_are_looked_for(
    index: PineconeIndex, pinecone_server: PineconeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(freshness, "COMMITTED", ())
    index.upsert("o", [entry("a", 3)])
    assert len(stored(pinecone_server)) == 3
    pinecone_server.misbehave(stale=1e9)
    with pytest.raises(IndexUnavailable, match="does not show"):
        index.upsert("o", [entry("b")])


def test_log_numbers_are_read_under_either_name() -> None:
    for name in freshness.COMMITTED:
        info = SimpleNamespace(raw_headers={name: "7"})
        assert freshness.committed(SimpleNamespace(response_info=info)) == 7
    assert freshness.visible(SimpleNamespace(response_info=None)) is None


def test_a_slow_vendor_ends_with_the_request(pinecone_server: PineconeServer) -> None:
    with connect(pinecone_server.api_key, pinecone_server.url) as handle:
        index = PineconeIndex(handle)
        pinecone_server.misbehave(slow=2)
        started = time.monotonic()
        with time_limit(0.3), pytest.raises((IndexUnavailable, DeadlineExceeded)):
            index.nearest("o", UNITS[0], (), 5)
        assert time.monotonic() - started < 1.5


def test_statistics_keep_to_the_deadline_too(pinecone_server: PineconeServer) -> None:
    with connect(pinecone_server.api_key, pinecone_server.url) as handle:
        index = PineconeIndex(handle)
        index.upsert("o", [entry("a")])
        pinecone_server.misbehave(slow=2)
        with time_limit(0.3), pytest.raises((IndexUnavailable, DeadlineExceeded)):
            index.matching("o", ["cat"], (), 5)


def test_fewer_passages_leave_no_record_behind(
    index: PineconeIndex, pinecone_server: PineconeServer
) -> None:
    index.upsert("o", [entry("a", 5), entry("b", 2)])
    index.upsert("o", [entry("a", 2)])
    assert stored(pinecone_server) == ["a#0", "a#1", "b#0", "b#1"]
    index.delete("o", ["a", "b", "absent"])
    assert stored(pinecone_server) == []


def test_a_crash_leaves_only_records_that_a_delete_finds(
    index: PineconeIndex, pinecone_server: PineconeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag.adapters.pinecone.index.MOST_RECORDS", 3)
    taken = threading.Semaphore(2)
    whole = PineconeIndex._upsert_whole

    def dies(self: PineconeIndex, namespace: str, records: list[Any]) -> int | None:
        if not taken.acquire(blocking=False):
            raise IndexUnavailable("gone")
        return whole(self, namespace, records)

    monkeypatch.setattr(PineconeIndex, "_upsert_whole", dies)
    entries = [entry(f"e{n}", 4) for n in range(3)]
    with pytest.raises(IndexUnavailable):
        index.upsert("o", entries)
    assert len(stored(pinecone_server)) == 6
    index.delete("o", [one.id for one in entries])
    assert stored(pinecone_server) == []


def test_many_passages_of_one_entry_do_not_hide_the_others(index: PineconeIndex) -> None:
    near = UNITS[0] + UNITS[1:8] / 10
    near /= np.linalg.norm(near, axis=1, keepdims=True)
    crowd = Entry("crowd", tuple(near) * 9, (), {})
    index.upsert("o", [crowd, Entry("far", (UNITS[5],), (), {}), Entry("off", (UNITS[6],), (), {})])
    found = [hit.id for hit in index.nearest("o", UNITS[0], (), 3)]
    assert sorted(found) == ["crowd", "far", "off"]


def test_statistics_are_asked_for_once_in_a_while(pinecone_server: PineconeServer) -> None:
    with connect(pinecone_server.api_key, pinecone_server.url) as handle:
        index = PineconeIndex(handle, remembered_seconds=600)
        index.upsert("o", [entry("a")])
        first = index.matching("o", ["cat"], (), 5)
        index.upsert("o", [entry("b")])
        second = index.matching("o", ["cat"], (), 5)
        assert (second.weights, second.total) == (first.weights, first.total)
        assert len(second.hits) == 2
        other = index.matching("o", ["cat"], (Condition("source", frozenset({"s"})),), 5)
        assert other.total == 2


def test_a_dimension_that_was_told_wrong_is_not_believed_for_long(
    index: PineconeIndex, pinecone_server: PineconeServer
) -> None:
    index.upsert("o", [entry("a")])
    with connect(pinecone_server.api_key, pinecone_server.url) as handle:
        other = PineconeIndex(handle, remembered_seconds=0)
        pinecone_server.misbehave(kind="lie", lie="vectors", path="stats")
        with pytest.raises(IndexUnavailable):
            other.matching("o", ["cat"], (), 5)
        pinecone_server.misbehave()
        assert [hit.id for hit in other.matching("o", ["cat"], (), 5).hits] == ["a"]


def test_a_delete_touches_nothing_that_it_was_not_told_of(
    index: PineconeIndex, pinecone_server: PineconeServer
) -> None:
    index.upsert("o", [entry("a"), entry("nobody", 3)])
    pinecone_server.misbehave(kind="lie", lie="strangers", path="fetch")
    index.delete("o", ["a"])
    assert stored(pinecone_server) == ["nobody#0", "nobody#1", "nobody#2"]
