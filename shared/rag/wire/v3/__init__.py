"""The v3 contract: ingest, search and chat for n8n workflows and an existing front end."""

from rag.wire.v3.routes import chat, documents, search

__all__ = ["chat", "documents", "search"]
