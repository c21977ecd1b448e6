"""Functions in this process: composed anew for every test, of a folder instead of the cloud."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module, reload
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest

from rag.adapters.embedded.minilm import MiniLM
from rag.runtime import functions
from rag.runtime.bootstrap import bootstrap

ANN = {"sub": "ann", "org": "acme", "tier": "full", "roles": "[]", "teams": "[]"}
SECRET = "a secret of at least thirty-two bytes"


@dataclass(frozen=True)
class Context:
    """What Lambda says about an invocation."""

    function_name: str = "search"
    memory_limit_in_mb: int = 512
    invoked_function_arn: str = "arn:aws:lambda:eu-central-1:1:function:search"
    aws_request_id: str = "lambda-1"


def http_event(method: str, path: str, body: Any = None, **more: Any) -> dict[str, Any]:
    """A request as API Gateway sends it to a function."""
    return {
        "resource": path,
        "path": path,
        "httpMethod": method,
        "headers": {"Content-Type": "application/json"},
        "multiValueHeaders": {"Content-Type": ["application/json"]},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "pathParameters": None,
        "stageVariables": None,
        "requestContext": {
            "requestId": "gateway-1",
            "stage": "v1",
            "identity": {"sourceIp": "192.0.2.1"},
            "authorizer": ANN,
        },
        "body": None if body is None else json.dumps(body),
        "isBase64Encoded": False,
        **more,
    }


Call = Callable[..., Any]


@pytest.fixture
def call(minilm: MiniLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    """Calls a function by its name."""
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("JWT_SECRET", SECRET)
    monkeypatch.setenv("TIER_KEYS", "0123456789abcdef")
    # A name of its own for each test: powertools keeps a logger, and where it writes to, by name.
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", f"footnote-{token_hex(4)}")
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Footnote")
    cached = (functions.settings, functions.footnote, functions.telemetry)

    def composed() -> Any:
        return bootstrap(functions.settings(), embedder=minilm)

    monkeypatch.setattr("rag.runtime.functions.bootstrap", lambda settings: composed())

    def begin(name: str, event: dict[str, Any]) -> Any:
        module = import_module(f"functions.{name}.handler")
        if name not in fresh:
            fresh.add(name)
            reload(module)
        return module.lambda_handler(event, Context(name))

    fresh: set[str] = set()
    for part in cached:
        part.cache_clear()
    yield begin
    for part in cached:
        part.cache_clear()
