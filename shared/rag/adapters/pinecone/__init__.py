"""Meaning and words in one Pinecone index. The SDK is imported when it is first needed."""

from rag.adapters.pinecone.index import PineconeIndex
from rag.adapters.pinecone.reranker import PineconeReranker

__all__ = ["PineconeIndex", "PineconeReranker"]
