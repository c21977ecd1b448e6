"""Which pages' scripts may read our answers."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware


def cors(origins: Sequence[str]) -> Middleware:
    """Pages of these origins may."""
    return Middleware(
        CORSMiddleware,
        allow_origins=origins,
        allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
        allow_headers=[
            "authorization",
            "content-type",
            "idempotency-key",
            "x-api-key",
            "x-request-id",
        ],
        expose_headers=["x-request-id"],
    )
