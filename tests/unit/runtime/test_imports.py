"""No vendor's SDK is imported until its slot is used: each costs a cold start."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "module",
    [
        "rag.runtime.bootstrap",
        "rag.wire.v3",
        "infra.local.serve",
        "rag.adapters.openai.answerer",
        "rag.adapters.openai.embedder",
    ],
)
def test_the_openai_sdk_waits_until_it_is_used(module: str) -> None:
    code = f"import sys, {module}; sys.exit('openai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
