"""Deleted data sources: nobody sees their documents any more, and soon there are none."""

from __future__ import annotations

from rag.ingest.pipeline import Ingestion
from rag.stores.documents import Documents
from rag.stores.sources import Sources


def remove_deleted(sources: Sources, documents: Documents, ingestion: Ingestion) -> int:
    """Remove the documents of deleted sources; returns how many there were."""
    removed = 0
    for deleted in sources.abandoned():
        for document in documents.all(deleted.org):
            if document.data_source == deleted.source:
                removed += ingestion.delete(deleted.org, document.id)
        sources.forget(deleted)
    return removed
