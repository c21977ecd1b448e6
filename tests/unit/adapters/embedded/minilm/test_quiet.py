"""The runtime of the model keeps to itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

EMBED = "from rag.adapters.embedded.minilm import MiniLM; MiniLM().embed(['newt'])"


def test_embedding_leaves_nothing_in_the_home_folder(tmp_path: Path) -> None:
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME")
    }
    home = {**environment, "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", EMBED], env=home, check=True)
    assert list(tmp_path.rglob("*")) == []
