"""Which packages a cold start pays for."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys, rag.runtime.bootstrap, rag.adapters.pinecone
print(*(name for name in sys.modules if name.split(".")[0] == "pinecone"))
"""


def test_no_vendors_sdk_is_imported_until_its_slot_is_used() -> None:
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []
