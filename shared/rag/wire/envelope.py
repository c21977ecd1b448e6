"""What is told of an error, and the shape that v3, platform, memory and every path that no contract
owns tell it in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fastapi.responses import JSONResponse

from rag import errors

# Most special first. What is not here is a bug, and its message stays inside.
ANSWERS: tuple[tuple[type[Exception], int, str], ...] = (
    (errors.Invalid, 400, "Validation error"),
    (errors.Unauthorized, 401, "Unauthorized"),
    (errors.PermissionDenied, 403, "Forbidden"),
    (errors.NotFound, 404, "Not found"),
    (errors.Conflict, 409, "Conflict"),
    (errors.TooLarge, 413, "Payload too large"),
    (errors.UnsupportedFormat, 415, "Unsupported format"),
    (errors.ParseError, 422, "Unreadable document"),
    (errors.ContextOverflow, 422, "Context overflow"),
    (errors.InsufficientContext, 422, "Insufficient context"),
    (errors.RateLimited, 429, "Too many requests"),
    (errors.IndexFull, 507, "Storage is full"),
    (errors.Unavailable, 503, "Service unavailable"),
)


@dataclass(frozen=True, slots=True)
class Problem:
    """An error as callers are told of it, before it has a contract's shape."""

    status: int
    name: str
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    constraint: str = "valid"  # the rule that a request breaks, in the words of those who name it


def problem_of(error: Exception) -> Problem:
    """What is told of an error of the core; anything else is an internal one."""
    for kind, status, name in ANSWERS:
        if isinstance(error, errors.FootnoteError) and isinstance(error, kind):
            constraint = error.constraint if isinstance(error, errors.Invalid) else "valid"
            return Problem(
                status, name, error.message, error.details, error.code, _headers(error), constraint
            )
    return Problem(500, "Internal server error", "Something went wrong on our side.")


def plain(problem: Problem) -> JSONResponse:
    """The error in the plain shape."""
    body: dict[str, Any] = {
        "error": problem.name,
        "message": problem.message,
        "details": dict(problem.details),
    }
    if problem.code is not None:
        body["code"] = problem.code
    return JSONResponse(body, problem.status, dict(problem.headers))


def _headers(error: errors.FootnoteError) -> dict[str, str]:
    match error:
        case errors.Unauthorized():
            return {"WWW-Authenticate": "Bearer"}
        case errors.RateLimited(wait=wait, limit=limit):
            return {
                "Retry-After": str(wait),
                "X-RateLimit-Limit": str(limit),
                "X-RateLimit-Remaining": "0",
            }
        case _:
            return {}
