"""The platform contract: jobs, data sources and queries for an organisation's people."""

from rag.wire.platform.routes import answering, jobs, retrieval, sources, uploads, usage

__all__ = ["answering", "jobs", "retrieval", "sources", "uploads", "usage"]
