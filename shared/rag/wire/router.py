"""Routers, and what the documentation says of their failures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from fastapi import APIRouter
from pydantic import BaseModel, Field

from rag.wire.caller import CREDENTIALS
from rag.wire.route import ContractRoute, PlainRoute


class ErrorResponse(BaseModel):
    """Any failure."""

    error: str = Field(examples=["Validation error"])
    message: str = Field(examples=["source is required"])
    details: dict[str, Any] = Field(examples=[{"field": "source", "message": "source is required"}])
    code: str | None = Field(None, examples=["PERMISSION_DENIED"], description="Where it has one")


Failures: TypeAlias = dict[int | str, dict[str, Any]]


def failures(meanings: Mapping[int, str], model: type[BaseModel] = ErrorResponse) -> Failures:
    """What the documentation says about failures, by their status."""
    return {
        status: {"model": model, "description": meaning} for status, meaning in meanings.items()
    }


MEANINGS = {
    400: "The request breaks a rule; `details` names the field",
    401: "Credentials are missing or bad",
    404: "There is no such thing, or none that this caller may see",
    413: "More than one request may carry",
    415: "The body is not JSON",
    500: "A mistake of ours",
    503: "A part that is needed does not answer; try again",
}
FAILURES = failures(MEANINGS)


def router(
    tag: str, route_class: type[ContractRoute] = PlainRoute, failures: Failures = FAILURES
) -> APIRouter:
    """A router whose failures have the contract's shape."""
    return APIRouter(
        route_class=route_class, responses=failures, tags=[tag], dependencies=CREDENTIALS
    )
