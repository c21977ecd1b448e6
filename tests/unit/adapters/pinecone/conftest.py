"""An index over HTTP whose waits are counted and not slept."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from infra.local.pinecone_server import PineconeServer
from rag.adapters.pinecone import PineconeIndex
from rag.adapters.pinecone.calls import Calls
from rag.adapters.pinecone.connect import connect


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def index(pinecone_server: PineconeServer, waits: list[float]) -> Iterator[PineconeIndex]:
    with connect(pinecone_server.api_key, pinecone_server.url) as handle:
        yield PineconeIndex(handle, calls=Calls(sleep=waits.append), remembered_seconds=0)
