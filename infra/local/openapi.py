"""`make openapi`: write down what the API promises; a test holds the code to it."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from infra.local.serve import website
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings
from rag.wire.contracts import document


def main() -> int:
    """Print the OpenAPI document of all contracts."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder))
        described = document(website(bootstrap(settings), settings).router)
        print(json.dumps(described, indent=1, ensure_ascii=False, sort_keys=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
