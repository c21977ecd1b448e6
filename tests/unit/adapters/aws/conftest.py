from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.stub import Stubber

from rag.adapters.aws import retry
from rag.adapters.aws.clients import client


@pytest.fixture(scope="session")
def dynamodb() -> Any:
    """A client that reaches nothing."""
    return client("dynamodb", region="eu-central-1")


@pytest.fixture
def script(dynamodb: Any) -> Iterator[Stubber]:
    """What DynamoDB is to answer, call by call; all of it must be asked for."""
    with Stubber(dynamodb) as script:
        yield script
        script.assert_no_pending_responses()


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between tries, which take no time."""
    pauses: list[float] = []
    monkeypatch.setattr(retry, "sleep", pauses.append)
    return pauses
