"""What the embedded server shows beside the contracts: health and the API's documentation."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi_swagger import patch_fastapi

from rag.wire.app import VERSION
from rag.wire.caller import App

site = APIRouter(tags=["Service"])


@site.get("/health")
def health(app: App) -> dict[str, Any]:
    """Whether the service is up, and what it runs on."""
    return {
        "status": "ok",
        "version": VERSION,
        "runtime": "embedded",
        "embedder": app.embedder.model,
        "answerer": app.chat.answerer.name,
    }


def with_docs(app: FastAPI) -> FastAPI:
    """Serve /docs from files of our own: a laptop may have no network."""
    patch_fastapi(app, docs_url="/docs", redirect_from_root_to_docs=False)
    return app
