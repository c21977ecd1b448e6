"""Plain text, and source code: as it stands."""

from __future__ import annotations

from rag.ingest.formats.block import Block, Reading
from rag.ingest.formats.charset import decoded


def read(data: bytes, charset: str) -> Reading:
    """All of it."""
    return Reading([Block("verbatim", decoded(data, charset))])
