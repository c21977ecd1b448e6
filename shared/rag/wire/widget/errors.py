"""The widget's error shape."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from rag.wire.envelope import Problem, problem_of
from rag.wire.validation import first_problem

RETRY_AFTER = 30  # seconds; who knows when a vendor is back

CODES = {
    400: "INVALID_REQUEST",
    401: "UNAUTHORIZED",
    403: "FORBIDDEN",
    404: "NOT_FOUND",
    405: "METHOD_NOT_ALLOWED",
    409: "CONFLICT",
    413: "PAYLOAD_TOO_LARGE",
    415: "UNSUPPORTED_MEDIA_TYPE",
    429: "RATE_LIMIT_EXCEEDED",
    500: "INTERNAL_ERROR",
    503: "SERVICE_UNAVAILABLE",
}
# What a visitor is told whatever the reason: it is not a visitor's matter.
MESSAGES = {
    401: "Invalid or expired session token",
    500: "An unexpected error occurred. Please try again.",
    503: "RAG service is temporarily unavailable",
}
# Broken rules that have a code of their own, by the field's name and the rule's.
TOO_LONG = {"message": "MESSAGE_TOO_LONG", "context.selected_text": "SELECTED_TEXT_TOO_LONG"}
SESSION_ID = ("session_id", "context.session_id")


class WidgetError(BaseModel):
    """What went wrong."""

    code: str = Field(examples=["INVALID_REQUEST"])
    message: str = Field(examples=["Message field is required"])
    details: dict[str, Any] | None = Field(
        examples=[{"field": "message", "constraint": "non_empty"}],
        description="400: `field`, `constraint`; 429: `retry_after`, `limit`; 503: `retry_after`",
    )


class WidgetErrorResponse(BaseModel):
    """Any failure."""

    error: WidgetError


def told(problem: Problem) -> JSONResponse:
    """The error as the widget's callers get it."""
    headers = dict(problem.headers)
    if problem.status == 503:
        headers["Retry-After"] = str(RETRY_AFTER)
    return JSONResponse({"error": content(problem)}, problem.status, headers)


def failed(problem: Problem) -> dict[str, Any]:
    """The same as an event of a stream that has begun."""
    return {"type": "error", "error": content(problem)}


def content(problem: Problem) -> dict[str, Any]:
    """Code, message and details."""
    # Of the codes of other contracts, none is this one's.
    own = problem.code if problem.status == 400 else None
    return {
        "code": own or CODES.get(problem.status, "INVALID_REQUEST"),
        "message": MESSAGES.get(problem.status, problem.message),
        "details": _details(problem),
    }


def invalid(invalid: RequestValidationError) -> Problem:
    """What is told of a request that breaks a rule."""
    broken = first_problem(invalid)
    field, problem = broken.field, problem_of(broken)
    if field == "message" and broken.constraint in ("required", "non_empty"):
        return replace(problem, message="Message field is required", constraint="non_empty")
    if field in TOO_LONG and broken.constraint == "max_length":
        return replace(problem, code=TOO_LONG[field])
    if field in SESSION_ID and broken.constraint != "required":
        message = f"{field} must be a UUID of version 4"
        return replace(problem, message=message, constraint="uuid_v4", code="INVALID_SESSION_ID")
    return problem


def _details(problem: Problem) -> dict[str, Any] | None:
    match problem.status:
        case 400:
            return {
                "field": problem.details.get("field", "body"),
                "constraint": problem.constraint,
            }
        case 429:
            return dict(problem.details)
        case 503:
            return {"retry_after": RETRY_AFTER}
        case _:
            return None
