from __future__ import annotations

import subprocess
import sys


def test_no_vendor_is_imported_before_its_part_is_used() -> None:
    program = "import sys, rag.runtime.bootstrap; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    loaded = set(done.stdout.split())
    assert "rag.runtime.bootstrap" in loaded, done.stderr
    assert not loaded & {"boto3", "botocore", "openai", "pinecone"}
