"""Whatever fits, or does not fit, what the OpenAPI document says of a request: the answer is one
that the document has, and never a 5xx."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from rag.adapters.embedded.minilm import MiniLM
from tests.answerers import Saying
from tests.conftest import Server
from tests.embedders import Hasty

DOCUMENT = json.loads(Path(__file__).with_name("openapi.json").read_text("utf-8"))
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
EXAMPLES = 30


def can_be_wrong(operation: dict[str, Any]) -> bool:
    """Whether there is a body or a query to get wrong: a path may have any text in it."""
    places = {one["in"] for one in operation.get("parameters", [])}
    return "requestBody" in operation or "query" in places


ROUTES = [
    (method.upper(), path, mode)
    for path, item in DOCUMENT["paths"].items()
    for method, operation in item.items()
    for mode in GenerationMode
    if mode == GenerationMode.POSITIVE or can_be_wrong(operation)
]


@pytest.fixture(scope="module")
def serving(minilm: MiniLM, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data_dir = tmp_path_factory.mktemp("data")
    parts = {"embedder": Hasty(minilm), "answerer": Saying(["Newts live in ponds [1]."])}
    server = Server(minilm, data_dir, {}, **parts)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def headers(serving: Server) -> dict[str, str]:
    """Of an owner, whom no limit keeps from being tried out, and of a site that shows something."""
    owner = serving.token(tier="premium", roles=["admin"])
    http = serving.http
    document = {"source": "s", "path": "/newts", "title": "Newts", "text": "Newts live in ponds."}
    http.post("/api/rag/ingest", json=document, headers=owner).raise_for_status()
    site = {"name": "Docs", "origins": ["https://docs.example"], "data_sources": ["default"]}
    made = http.post("/api/v1/sites", json=site, headers=owner).raise_for_status().json()
    return {**owner, "X-Site": made["id"]}


@pytest.mark.parametrize(("method", "path", "mode"), ROUTES, ids=str)
def test_every_answer_is_as_the_document_says(
    serving: Server, headers: dict[str, str], method: str, path: str, mode: GenerationMode
) -> None:
    operation = schemathesis.openapi.from_dict(DOCUMENT)[path][method]

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def one(case: schemathesis.Case) -> None:
        answer = case.call(base_url=serving.url, headers=headers)
        case.validate_response(answer, checks=CHECKS)

    one()
