from __future__ import annotations

from collections.abc import Callable

import pytest
from botocore.exceptions import (
    ClientError,
    ConnectionClosedError,
    EndpointConnectionError,
    IncompleteReadError,
    NoCredentialsError,
    ReadTimeoutError,
)

from rag.adapters.aws import retry
from rag.adapters.aws.retry import Busy, patiently
from rag.errors import Unavailable
from rag.timing import time_limit


def refused(code: str, status: int = 400) -> ClientError:
    metadata = {"HTTPStatusCode": status}
    return ClientError({"Error": {"Code": code}, "ResponseMetadata": metadata}, "PutItem")  # type: ignore[typeddict-item]


def failing(*errors: Exception) -> tuple[Callable[[], str], list[None]]:
    """A call that fails so before it succeeds, and its tries."""
    left, tries = list(errors), []

    def call() -> str:
        tries.append(None)
        if left:
            raise left.pop(0)
        return "done"

    return call, tries


NOT_BEGUN = [
    refused("ThrottlingException"),
    refused("ProvisionedThroughputExceededException"),
    refused("SlowDown", 503),
    EndpointConnectionError(endpoint_url="x"),
    Busy(),
]
PERHAPS_DONE = [
    refused("InternalServerError", 500),
    ReadTimeoutError(endpoint_url="x"),
    ConnectionClosedError(endpoint_url="x"),
    IncompleteReadError(actual_bytes=1, expected_bytes=2),
]
FINAL = [refused("AccessDeniedException"), refused("ValidationException"), NoCredentialsError()]


@pytest.mark.parametrize("error", [*NOT_BEGUN, *PERHAPS_DONE])
def test_what_may_pass_is_tried_again(error: Exception, pauses: list[float]) -> None:
    call, _ = failing(error, error)
    assert patiently(call) == "done"
    assert len(pauses) == 2


@pytest.mark.parametrize("error", PERHAPS_DONE)
def test_what_must_not_happen_twice_is_given_up_once_it_may_have_happened(
    error: Exception, pauses: list[float]
) -> None:
    call, tries = failing(error)
    with pytest.raises(Unavailable) as failure:
        patiently(call, repeatable=False)
    assert failure.value.__cause__ is error
    assert len(tries) == 1


@pytest.mark.parametrize("error", NOT_BEGUN)
def test_what_was_not_begun_is_always_tried_again(error: Exception, pauses: list[float]) -> None:
    call, _ = failing(error)
    assert patiently(call, repeatable=False) == "done"


@pytest.mark.parametrize("error", FINAL)
def test_what_will_not_pass_is_given_up_at_once(error: Exception, pauses: list[float]) -> None:
    call, tries = failing(error)
    with pytest.raises(Unavailable) as failure:
        patiently(call)
    assert failure.value.__cause__ is error
    assert (len(tries), pauses) == (1, [])


def test_patience_ends(pauses: list[float]) -> None:
    call, tries = failing(*[Busy()] * 100)
    with pytest.raises(Unavailable):
        patiently(call)
    assert len(tries) == retry.TRIES
    assert max(pauses) <= retry.LONGEST_PAUSE


def test_no_pause_goes_beyond_what_the_request_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0

    def pass_time(seconds: float) -> None:
        nonlocal now
        now += seconds

    monkeypatch.setattr(retry, "sleep", pass_time)
    monkeypatch.setattr(retry.random, "uniform", lambda _, longest: longest)
    call, tries = failing(*[Busy()] * 100)
    with time_limit(1.0, lambda: now), pytest.raises(Unavailable):
        patiently(call)
    assert now < 1.0
    assert 1 < len(tries) < retry.TRIES
