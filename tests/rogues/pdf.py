"""The same, as what reads PDFs."""

from tests.rogues.rogue import read

__all__ = ["read"]
