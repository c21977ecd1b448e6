"""The indexes that the port's suite runs on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from infra.local.pinecone_server import PineconeServer
from rag.adapters.embedded.database import Database
from rag.adapters.embedded.index import SqliteIndex
from rag.adapters.pinecone import PineconeIndex
from rag.adapters.pinecone.connect import connect
from rag.model import Vector
from rag.ports import Index

DIMENSION = 8


@pytest.fixture(params=["sqlite", "pinecone"])
def index(request: pytest.FixtureRequest) -> Index:
    index: Index = request.getfixturevalue(request.param)
    index.claim("model", DIMENSION)
    return index


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Index]:
    database = Database(tmp_path / "index.sqlite")
    yield SqliteIndex(database)
    database.close()


@pytest.fixture
def pinecone(pinecone_server: PineconeServer) -> Iterator[Index]:
    """The real SDK over HTTP. Nothing is remembered: the suite holds at every moment."""
    with connect(pinecone_server.api_key, pinecone_server.url) as handle:
        yield PineconeIndex(handle, remembered_seconds=0)


def unit(seed: int) -> Vector:
    vector = np.random.default_rng(seed).normal(size=DIMENSION).astype(np.float32)
    return vector / np.float32(np.linalg.norm(vector))
