"""How the server can be told to misbehave, and vendor's errors in the vendor's shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

# Statuses of HTTP and the codes of gRPC that the vendor sends with them.
CODES = {400: 3, 401: 16, 403: 7, 404: 5, 409: 6, 429: 8, 500: 13, 503: 14}

Kind = Literal["status", "drop", "partial", "malformed", "lie"]


class Refused(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: int, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after

    @property
    def body(self) -> dict[str, Any]:
        """The error as `rpcStatus` of the vendor's document."""
        return {"code": CODES.get(self.status, 2), "message": str(self), "details": []}


@dataclass
class Faults:
    """Misbehaviour, for the next `times` requests that reach `path`, or for all (None)."""

    slow: float = 0.0  # seconds before every answer
    stale: float = 0.0  # seconds until a read sees a write
    absent_fails: bool = False  # `$ne` and `$nin` are false of a field that a record lacks
    # An error status, no answer at all, half of an upsert, half of an answer, or a wrong one.
    kind: Kind | None = None
    status: int = 500
    lie: str = ""  # one of `lies`
    retry_after: float | None = None
    times: int | None = None
    path: str = ""

    def strike(self, path: str) -> Kind | None:
        """What happens to this request."""
        if self.kind is None or self.path not in path or self.times == 0:
            return None
        if self.times is not None:
            self.times -= 1
        return self.kind
