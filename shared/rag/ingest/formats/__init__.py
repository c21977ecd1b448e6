"""Files of every format into text: one module for each kind, and each with the same shape."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag.model import Parsed


def read(kind: str, data: bytes, charset: str = "") -> Parsed:
    """The text of a file of this kind. Raises Unreadable, and whatever a bad file may provoke."""
    # Not by those who only look what a file is; and each reader for its own files alone, since
    # some of the libraries behind take a while.
    from rag.ingest.formats.compose import compose

    reader = import_module(f"{__name__}.{kind}")
    return compose(reader.read(data, charset))
