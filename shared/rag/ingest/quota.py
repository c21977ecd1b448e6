"""How much an org may have stored."""

from __future__ import annotations

from dataclasses import dataclass

from rag.errors import IndexFull
from rag.stores.documents import Documents


@dataclass(frozen=True, slots=True)
class Quota:
    """So many bytes of text for every org."""

    documents: Documents
    limit: int

    def check(self, org: str, growth: int) -> None:
        """Whether so many bytes more may be stored. Raises IndexFull."""
        if growth > 0 and self.documents.stored(org) + growth > self.limit:
            raise IndexFull(
                f"The storage quota of {self.limit} bytes of text (STORAGE_QUOTA) is used up;"
                " delete something first."
            )
