"""What the embedded server shows beside the contracts: health and the API's documentation."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.staticfiles import StaticFiles

from rag.query.quote import EXTRACTIVE
from rag.wire.app import VERSION
from rag.wire.caller import App

ASSETS = "/docs/assets"

site = APIRouter(tags=["Service"])


@site.get("/health")
async def health(app: App) -> dict[str, Any]:
    """Tell whether the service is up, and what it runs on."""
    return {
        "status": "ok",
        "version": VERSION,
        "runtime": "embedded",
        "embedder": app.parts.embedder.model,
        "answerer": app.parts.answerer.name if app.parts.answerer else EXTRACTIVE,
    }


@site.get("/", include_in_schema=False)
async def start() -> RedirectResponse:
    """Where people land who follow the address that the server prints."""
    return RedirectResponse("/docs")


@site.get("/docs", include_in_schema=False)
async def docs() -> HTMLResponse:
    """The API's documentation, to read and to try."""
    return get_swagger_ui_html(
        openapi_url="/openapi.json",
        title="Footnote",
        swagger_js_url=f"{ASSETS}/swagger-ui-bundle.js",
        swagger_css_url=f"{ASSETS}/swagger-ui.css",
        swagger_favicon_url=f"{ASSETS}/favicon-32x32.png",
        swagger_ui_parameters={"tryItOutEnabled": True, "defaultModelsExpandDepth": -1},
    )


def with_assets(app: FastAPI) -> FastAPI:
    """Serve the documentation's files ourselves: a laptop may have no network."""
    app.mount(ASSETS, StaticFiles(packages=[("fastapi_swagger", "resources")]))
    return app
