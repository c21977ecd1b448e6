"""`make openapi`: write down what the API promises; a test holds the code to it."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from infra.local.serve import embedded_app
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings


def main() -> int:
    """Print the OpenAPI document of the embedded server."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder))
        app = embedded_app(bootstrap(settings), settings, log=lambda _: None)
        print(json.dumps(app.openapi(), indent=1, ensure_ascii=False, sort_keys=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
