"""The error shape of v3, platform, memory and of every path that no contract owns."""

from __future__ import annotations

from collections.abc import Mapping
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
    (errors.IndexFull, 507, "Storage is full"),
    (errors.Unavailable, 503, "Service unavailable"),
)


def problem(
    status: int,
    error: str,
    message: str,
    *,
    details: Mapping[str, Any] | None = None,
    code: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """An error as callers get it."""
    body: dict[str, Any] = {"error": error, "message": message, "details": dict(details or {})}
    if code is not None:
        body["code"] = code
    return JSONResponse(body, status, dict(headers or {}))


def answer_to(error: Exception) -> JSONResponse:
    """The answer to an error of the core; anything else is an internal one."""
    for kind, status, name in ANSWERS:
        if isinstance(error, errors.FootnoteError) and isinstance(error, kind):
            headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
            return problem(
                status,
                name,
                error.message,
                details=error.details,
                code=error.code,
                headers=headers,
            )
    return problem(500, "Internal server error", "Something went wrong on our side.")
