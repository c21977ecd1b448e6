"""Documents made up for tests that care only for what is said of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rag.model import DEFAULT_SOURCE, Document


def document(metadata: Mapping[str, Any] | None = None, **head: Any) -> Document:
    """A document that has this metadata."""
    given: dict[str, Any] = {
        "id": "doc_1",
        "version": "v",
        "hash": "h",
        "digest": "h",
        "data_source": DEFAULT_SOURCE,
        "source": "s",
        "path": "/p",
        "title": "Newts",
        "tags": (),
        "metadata_json": json.dumps(metadata or {}),
        "chunk_count": 1,
        "created_at": "2026-11-18T00:00:00.000Z",
        "updated_at": "2026-11-18T00:00:00.000Z",
    }
    return Document(**given | head)
