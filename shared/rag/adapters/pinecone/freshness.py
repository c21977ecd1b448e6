"""Waiting until a read can see what was written: the vendor's reads lag behind its writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rag.adapters.pinecone.calls import Calls
from rag.errors import IndexUnavailable

# The log sequence number of a write, and that up to which a read sees: as documented for the
# wire, and as the SDK knows them.
COMMITTED = ("x-pinecone-request-lsn", "x-pinecone-lsn-committed")
VISIBLE = ("x-pinecone-max-indexed-lsn", "x-pinecone-lsn-reconciled")

# With its growing pauses this is about a minute; a request's deadline ends it sooner.
MOST_LOOKS = 20
LONGEST_STEP = 5


def committed(answer: Any) -> int | None:
    """The number that a write was given."""
    return _number(_headers(answer), COMMITTED)


def visible(answer: Any) -> int | None:
    """The number up to which a read saw."""
    return _number(_headers(answer), VISIBLE)


def wait(calls: Calls, seen: Callable[[], bool]) -> None:
    """Look until it is seen. Raises IndexUnavailable when that takes too long."""
    for look in range(MOST_LOOKS):
        if seen():
            return
        calls.pause(min(look, LONGEST_STEP))
    raise IndexUnavailable("The vector index took what was written, but does not show it yet.")


def _headers(answer: Any) -> Mapping[str, str]:
    headers: Mapping[str, str] = answer.response_info.raw_headers if answer.response_info else {}
    return headers


def _number(headers: Mapping[str, str], names: tuple[str, ...]) -> int | None:
    return next((int(headers[name]) for name in names if headers.get(name, "").isdigit()), None)
