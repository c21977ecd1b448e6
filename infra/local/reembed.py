"""`make reembed`: embed all documents again, after the embedding model has changed."""

from __future__ import annotations

import os
import sys

from rag.ingest.reembed import reembed
from rag.runtime.bootstrap import bootstrap
from rag.runtime.secrets import resolved
from rag.runtime.settings import Settings, SettingsError


def main() -> int:
    """Run with the server stopped; it says what it is doing."""
    try:
        settings = Settings.from_environment(resolved(os.environ))
    except SettingsError as wrong:
        print(wrong, file=sys.stderr)
        return 2
    footnote = bootstrap(settings)
    embedder = footnote.parts.embedder
    work = reembed(footnote.documents, footnote.parts.index, embedder)
    done = 0
    for done, document in enumerate(work, 1):
        print(f"\r{done} documents, now {document.title[:50]:50}", end="", flush=True)
    print(f"\r{done} documents embedded by {embedder.model}.{'':40}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
