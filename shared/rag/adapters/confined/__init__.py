"""Reads files that nobody vouches for, each in a process of its own."""

from rag.adapters.confined.reader import ConfinedReader

__all__ = ["ConfinedReader"]
