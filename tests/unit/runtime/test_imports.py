"""No vendor's SDK is imported until its slot is used: each costs a cold start."""

from __future__ import annotations

import subprocess
import sys

import pytest

SDKS = {"boto3", "openai", "pinecone"}


@pytest.mark.parametrize(
    "module",
    [
        "rag.runtime.bootstrap",
        "rag.wire.v3",
        "infra.local.serve",
        "rag.adapters.openai.answerer",
        "rag.adapters.openai.embedder",
        "rag.adapters.pinecone",
    ],
)
def test_no_sdk_is_imported_before_its_slot_is_used(module: str) -> None:
    program = f"import sys, {module}; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = set(run.stdout.split())
    assert module in loaded
    assert not loaded & SDKS
