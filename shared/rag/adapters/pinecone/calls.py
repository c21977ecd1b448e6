"""Calls of the SDK: within the request's time, and again where another try may help."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

from rag import timing
from rag.adapters.pinecone.connect import CALL_SECONDS
from rag.errors import IndexUnavailable

TRIES = 5
FIRST_WAIT = 0.1
LONGEST_WAIT = 5.0
UNREADABLE = "The vector index answered with something that cannot be read."

Sleep = Callable[[float], None]


class Calls:
    """Runs one call of the SDK at a time and turns its errors into ours."""

    def __init__(self, sleep: Sleep = time.sleep) -> None:
        self._sleep = sleep

    def __call__(self, method: Callable[..., Any], **arguments: Any) -> Any:
        """Call the method, which may read the answer too: one that it cannot read is a failure.
        Raises IndexUnavailable, or DeadlineExceeded once the time is up."""
        from pinecone import PineconeError

        for attempt in range(TRIES):
            timing.check()
            try:
                return method(timeout=_within(CALL_SECONDS), **arguments)
            except PineconeError as error:
                if attempt + 1 == TRIES or not _may_pass(error):
                    raise IndexUnavailable(_sentence(error)) from error
                self.pause(attempt, getattr(error, "retry_after", None))
            except Exception as error:
                raise IndexUnavailable(UNREADABLE) from error
        raise AssertionError("the last try returns or raises")

    def pause(self, attempt: int, wanted: float | None = None) -> None:
        """Wait before the next try, unless the request has no time for that."""
        doubled = FIRST_WAIT * 2**attempt * random.uniform(0.5, 1.0)
        wait = min(doubled if wanted is None else wanted, LONGEST_WAIT)
        left = timing.remaining()
        if left is not None and left <= wait:
            raise IndexUnavailable("The vector index did not answer in the time that was left.")
        self._sleep(wait)


def _within(seconds: float) -> float:
    left = timing.remaining()
    return seconds if left is None else min(seconds, max(left, 0.001))


def _may_pass(error: Exception) -> bool:
    """Whether the same call may succeed later: throttled, broken or unreachable for now."""
    from pinecone import ApiError, PineconeConnectionError, PineconeTimeoutError

    if isinstance(error, ApiError):
        return error.status_code in (408, 429) or error.status_code >= 500
    return isinstance(error, PineconeConnectionError | PineconeTimeoutError)


def _sentence(error: Exception) -> str:
    from pinecone.errors import ResponseParsingError

    if isinstance(error, ResponseParsingError):
        return UNREADABLE
    status = getattr(error, "status_code", None)
    return "The vector index " + (f"answered {status}." if status else "does not answer.")
