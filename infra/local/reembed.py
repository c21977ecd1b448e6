"""`make reembed`: embed all documents again, after the embedding model has changed."""

from __future__ import annotations

import os
import sys

from rag.ingest.reembed import reembed
from rag.runtime.bootstrap import open_corpus
from rag.runtime.settings import Settings, SettingsError


def main() -> int:
    """Run with the server stopped; it says what it is doing."""
    try:
        settings = Settings.from_environment(os.environ)
    except SettingsError as wrong:
        print(wrong, file=sys.stderr)
        return 2
    documents, index, embedder = open_corpus(settings)
    done = 0
    for done, document in enumerate(reembed(documents, index, embedder), 1):
        print(f"\r{done} documents, now {document.title[:50]:50}", end="", flush=True)
    print(f"\r{done} documents embedded by {embedder.model}.{'':40}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
