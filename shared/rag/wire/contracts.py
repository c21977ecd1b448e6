"""All that the API promises, whichever function keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.routing import BaseRoute

from rag.wire import platform, v3, widget
from rag.wire.doors import public
from rag.wire.ingest import ingest

VERSION = "0.1.0"
FASTAPIS_422 = "Validation Error"

ROUTERS: tuple[APIRouter, ...] = (
    ingest,
    v3.documents,
    platform.uploads,
    platform.jobs,
    platform.sources,
    platform.usage,
    v3.search,
    platform.retrieval,
    v3.chat,
    platform.answering,
    widget.chat,
    widget.feedback,
    widget.sites,
)


def document(*more: APIRouter) -> dict[str, Any]:
    """The OpenAPI document of all contracts, and of what is served beside them."""
    app = FastAPI()
    for router in (*more, *ROUTERS):
        app.include_router(router)
    return _described(app.routes)


def _described(routes: Sequence[BaseRoute]) -> dict[str, Any]:
    """Without the answers that FastAPI would give and we never do."""
    document = get_openapi(
        title="Footnote",
        version=VERSION,
        description="Documents in; search and answers that carry their sources out.",
        routes=routes,
        servers=[{"url": "./"}],  # where the document is, below whatever path a gateway has
    )
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if public(method.upper(), path):
                operation["security"].append({})  # or none
            if operation["responses"].get("422", {}).get("description") == FASTAPIS_422:
                del operation["responses"]["422"]
    for unused in ("HTTPValidationError", "ValidationError"):
        document["components"]["schemas"].pop(unused, None)
    return document
