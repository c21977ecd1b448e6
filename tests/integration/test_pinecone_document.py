"""Requests of the SDK and answers of the loopback server, held to the vendor's own document."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import numpy as np
import pytest
import yaml

from infra.local.pinecone_server import PineconeServer
from rag.adapters.pinecone import PineconeIndex
from rag.adapters.pinecone.connect import connect
from rag.errors import IndexUnavailable
from rag.model import Bound, Condition, Entry

SPECS = Path(os.environ.get("SPECS_DIR", Path(__file__).parents[3] / "shared/data/specs"))
DOCUMENT = SPECS / "db_data_2025-10.oas.yaml"

pytestmark = pytest.mark.skipif(not DOCUMENT.exists(), reason="the vendor's document is not here")


class Recorder(httpx.BaseTransport):
    """Keeps what goes over the wire."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.exchanges: list[tuple[httpx.Request, httpx.Response]] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response: httpx.Response = self._inner.handle_request(request)
        response.read()
        self.exchanges.append((request, response))
        return response

    def close(self) -> None:
        self._inner.close()


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    parsed: dict[str, Any] = yaml.safe_load(DOCUMENT.read_text())
    return parsed


@pytest.fixture
def exchanges(
    pinecone_server: PineconeServer,
) -> Iterator[list[tuple[httpx.Request, httpx.Response]]]:
    """All that the adapter and the SDK do, once, good and bad."""
    with connect(pinecone_server.api_key, pinecone_server.url) as handle:
        client: Any = handle._http._client
        recorder = client._transport = Recorder(client._transport)
        index = PineconeIndex(handle)
        everything(index, handle)
        pinecone_server.misbehave(kind="status", status=400)
        with pytest.raises(IndexUnavailable):
            index.maker()
        yield recorder.exchanges


def everything(index: PineconeIndex, handle: Any) -> None:
    units = np.eye(8, dtype=np.float32)
    index.claim("model", 8)
    fields = {"tags": ("x",), "n.year": 2024.0}
    index.upsert("o", [Entry("a", (units[0], units[1]), ("cat", "dog"), fields)])
    where = (
        Condition("tags", frozenset("x")),
        Condition("source", frozenset({"s"}), none=True),
        Bound("n.year", "gte", 2020.0),
    )
    index.nearest("o", units[0], where, 5)
    index.matching("o", ["cat"], where[:1], 5)
    index.vectors("o", ["a"])
    handle.update(id="a#0", namespace="o", set_metadata={"tags": ["y"]})
    handle.update(filter={"tags": {"$in": ["y"]}}, set_metadata={"n": 1}, namespace="o")
    handle.query(id="a#0", namespace="o", top_k=1, include_values=True, include_metadata=True)
    list(handle.list(prefix="a#", limit=1, namespace="o"))
    list(handle.list_namespaces())
    handle.describe_namespace(name="o")
    index.delete("o", ["a"])
    index.clear()
    handle.delete_namespace(name="o")


def operation(document: dict[str, Any], request: httpx.Request) -> dict[str, Any]:
    path = request.url.path
    template = "/namespaces/{namespace}" if path.startswith("/namespaces/") else path
    found: dict[str, Any] = document["paths"][template][request.method.lower()]
    return found


def check(document: dict[str, Any], schema: dict[str, Any], body: Any) -> None:
    jsonschema.validate(body, {**schema, "components": document["components"]})
    name = schema["$ref"].rsplit("/", 1)[-1]
    known = document["components"]["schemas"][name].get("properties", {})
    assert set(body) <= set(known), name


def test_requests_and_answers_hold_to_the_document(
    document: dict[str, Any], exchanges: list[tuple[httpx.Request, httpx.Response]]
) -> None:
    for request, response in exchanges:
        described = operation(document, request)
        assert request.headers["X-Pinecone-Api-Version"] == document["info"]["version"]
        if "requestBody" in described:
            schema = described["requestBody"]["content"]["application/json"]["schema"]
            check(document, schema, json.loads(request.content))
        declared = {one["name"] for one in described.get("parameters", []) if one["in"] == "query"}
        assert set(request.url.params) <= declared
        answers = described["responses"]
        status = str(response.status_code)
        answer = answers.get(status) or answers[f"{status[0]}XX"]
        check(document, answer["content"]["application/json"]["schema"], response.json())
    assert {request.url.path.split("/")[-1] for request, _ in exchanges} >= {
        "upsert", "fetch", "list", "delete", "update", "query", "describe_index_stats", "namespaces"
    }  # fmt: skip
