"""The loopback server where it must be like the vendor: filters, refusals, what it keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from infra.local.pinecone_server import PineconeServer
from infra.local.pinecone_server.faults import Faults, Refused
from infra.local.pinecone_server.filters import passes
from infra.local.pinecone_server.plane import Plane

ONE = [1.0] + [0.0] * 7


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        ({"genre": "drama"}, True),
        ({"genre": {"$eq": "comedy"}}, False),
        ({"genre": {"$ne": "comedy"}}, True),
        ({"year": {"$gt": 2018, "$lte": 2019}}, True),
        ({"year": {"$gte": 2020}}, False),
        ({"year": {"$lt": 2019}}, False),
        ({"tags": {"$in": ["b", "z"]}}, True),
        ({"tags": {"$nin": ["b"]}}, False),
        ({"absent": {"$in": ["b"]}}, False),
        ({"absent": {"$exists": False}}, True),
        ({"genre": {"$exists": True}}, True),
        ({"$or": [{"genre": "comedy"}, {"year": 2019}]}, True),
        ({"$and": [{"genre": "drama"}, {"year": 2020}]}, False),
        ({}, True),
    ],
)
def test_filters(filter: dict[str, Any], expected: bool) -> None:
    assert passes(filter, {"genre": "drama", "year": 2019, "tags": ["a", "b"]}) is expected


def test_told_so_what_is_absent_is_not_other_than_anything() -> None:
    for filter in ({"b": {"$ne": 1}}, {"b": {"$nin": [1]}}, {"$or": [{"b": {"$ne": 1}}, {"a": 2}]}):
        assert passes(filter, {"a": 1})
        assert not passes(filter, {"a": 1}, absent_fails=True)
        assert passes(filter, {"a": 1, "b": 2}, absent_fails=True)


@pytest.mark.parametrize(
    "filter", [{"a": {"$in": []}}, {"a": {"$like": "x"}}, {"$and": []}, {"a": {"$gt": "x"}}]
)
def test_bad_filters_are_refused(filter: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        passes(filter, {"a": 1})


@pytest.mark.parametrize(
    "record",
    [
        {"id": "a", "values": [0.0] * 8},
        {"id": "a", "values": [1.0]},
        {"id": "", "values": ONE},
        {"id": "a", "values": ONE, "metadata": {"a": None}},
        {"id": "a", "values": ONE, "metadata": {"a": {"b": 1}}},
        {"id": "a", "values": ONE, "metadata": {"a": "x" * 41_000}},
        {"id": "a", "values": ONE, "sparseValues": {"indices": [1, 1], "values": [1, 2]}},
        {"id": "a", "values": ONE, "sparseValues": {"indices": [1], "values": []}},
    ],
)
def test_bad_records_are_refused(record: dict[str, Any], pinecone_server: PineconeServer) -> None:
    answer = httpx.post(
        f"{pinecone_server.url}/vectors/upsert",
        json={"vectors": [record]},
        headers={"Api-Key": pinecone_server.api_key},
    )
    assert answer.status_code == 400
    assert answer.json()["code"] == 3


def test_it_wants_its_key(pinecone_server: PineconeServer) -> None:
    assert httpx.post(f"{pinecone_server.url}/query", json={}).status_code == 401


def test_records_outlive_the_server(tmp_path: Path) -> None:
    data = tmp_path / "records.sqlite"
    for expected in ([], ["a"]):
        plane = Plane(8, Faults(), data)
        found, _ = plane.query({"topK": 5, "vector": ONE, "namespace": "o"})
        assert [match["id"] for match in found["matches"]] == expected
        plane.upsert({"namespace": "o", "vectors": [{"id": "a", "values": ONE}]})
        plane.close()
