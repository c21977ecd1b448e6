"""No vendor's SDK is imported until its slot is used: each costs a cold start."""

from __future__ import annotations

import subprocess
import sys

import pytest

SDKS = {"boto3", "openai", "pinecone"}


def loaded_by(module: str) -> set[str]:
    """Every module that this one brings along."""
    program = f"import sys, {module}; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(run.stdout.split())


@pytest.mark.parametrize(
    "module",
    [
        "rag.runtime.bootstrap",
        "rag.wire.v3",
        "infra.local.serve",
        "functions.ingest.handler",
        "functions.search.handler",
        "functions.chat.handler",
        "functions.authorizer.handler",
        "functions.sweeper.handler",
        "functions.jobs.handler",
        "functions.worker.handler",
        "rag.adapters.openai.answerer",
        "rag.adapters.openai.embedder",
        "rag.adapters.pinecone",
    ],
)
def test_no_sdk_is_imported_before_its_slot_is_used(module: str) -> None:
    loaded = loaded_by(module)
    assert module in loaded
    assert not loaded & SDKS


@pytest.mark.parametrize("name", ["ingest", "search", "chat"])
def test_a_request_can_be_refused_without_what_would_answer_it(name: str) -> None:
    unused = {"numpy", "jwt", "cryptography", "rs_bpe", "tiktoken", "ormsgpack", "onnxruntime"}
    unused |= {"aws_xray_sdk"}
    assert not loaded_by(f"functions.{name}.handler") & unused


def test_the_authorizer_needs_no_web_framework() -> None:
    assert not loaded_by("functions.authorizer.handler") & {"fastapi", "starlette", "numpy"}
