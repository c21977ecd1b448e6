"""Calls to AWS, repeated while that is safe and there is time; its errors become ours."""

from __future__ import annotations

import random
from collections.abc import Callable
from time import perf_counter, sleep
from typing import TypeVar

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    HTTPClientError,
    IncompleteReadError,
)

from rag.errors import Unavailable
from rag.timing import remaining

T = TypeVar("T")

TRIES = 8
FIRST_PAUSE = 0.05
LONGEST_PAUSE = 2.0

# What a service answers when it has not even begun.
NOT_BEGUN = frozenset(
    {
        "ProvisionedThroughputExceededException", "RequestLimitExceeded",
        "RequestThrottled", "RequestThrottledException", "SlowDown", "Throttling",
        "ThrottlingException", "TooManyRequestsException", "TransactionConflictException",
        "TransactionInProgressException",
    }
)  # fmt: skip


class Busy(Exception):
    """The answer was: not now, or not all of it. Asking again goes on from there."""


def patiently(call: Callable[[], T], *, repeatable: bool = True) -> T:
    """The call's result, after some tries if need be. Raises Unavailable.

    One that is not `repeatable` must not happen twice: it is given up where it may have happened.
    """
    for attempt in range(TRIES):
        started = perf_counter()
        try:
            return call()
        except (BotoCoreError, ClientError, Busy) as error:
            pause = random.uniform(0, min(LONGEST_PAUSE, FIRST_PAUSE * 2**attempt))
            left = remaining()
            took = perf_counter() - started  # and so may the next try
            last = attempt == TRIES - 1 or (left is not None and left <= pause + took)
            if last or not (_not_begun(error) or (repeatable and _may_pass(error))):
                raise Unavailable("The storage does not answer; try again in a moment.") from error
            sleep(pause)
    raise AssertionError("the last try returns or raises")


def code(error: ClientError) -> str:
    """The service's own name for what happened."""
    name: str = error.response.get("Error", {}).get("Code", "")
    return name


def _not_begun(error: Exception) -> bool:
    if isinstance(error, ClientError):
        return code(error) in NOT_BEGUN
    return isinstance(error, Busy | ConnectTimeoutError | EndpointConnectionError)


def _may_pass(error: Exception) -> bool:
    if isinstance(error, ClientError):
        status: int = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        return status >= 500
    return isinstance(error, HTTPClientError | IncompleteReadError)
