"""The platform contract: jobs, data sources and queries for an organisation's people."""

from rag.wire.platform.routes import jobs, sources, uploads

__all__ = ["jobs", "sources", "uploads"]
