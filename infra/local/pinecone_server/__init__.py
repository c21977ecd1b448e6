"""Pinecone's data plane on one machine, so that the cloud's code path runs without the cloud."""

from infra.local.pinecone_server.faults import Faults
from infra.local.pinecone_server.server import PineconeServer

__all__ = ["Faults", "PineconeServer"]
