"""Reads files in this process: one that is confined, or one whose files are its own."""

from __future__ import annotations

from importlib import import_module

from rag.errors import Unreadable
from rag.model import Parsed

FORMATS = "rag.ingest.formats"


class DirectReader:
    """Reads with the formats' readers as they are, however long they take."""

    def __init__(self, formats: str = FORMATS) -> None:
        self._formats = import_module(formats)

    def prepare(self, kind: str) -> None:
        """Import what reads this kind."""
        import_module(f"{self._formats.__name__}.{kind}")

    def read(self, kind: str, charset: str, data: bytes) -> Parsed:
        try:
            parsed: Parsed = self._formats.read(kind, data, charset)
        except Unreadable:
            raise
        except MemoryError as error:
            raise Unreadable("needs more memory than reading may take") from error
        except RecursionError as error:
            raise Unreadable("is nested too deeply") from error
        except Exception as error:
            # What a bad file can provoke, in our code or in a library's, nobody can foresee.
            raise Unreadable("is damaged") from error
        return parsed
