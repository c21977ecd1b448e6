"""Exact search on one machine: SQLite is the truth, numpy the hot path."""

from rag.adapters.embedded.index.index import SqliteIndex

__all__ = ["SqliteIndex"]
