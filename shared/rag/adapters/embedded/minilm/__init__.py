"""all-MiniLM-L6-v2 on the CPU: vectors for search, word states for reranking."""

from rag.adapters.embedded.minilm.embedder import MiniLM

__all__ = ["MiniLM"]
