"""The embedded server: everything in one process. `make run` starts it."""

from __future__ import annotations

import os
import sys

import uvicorn
from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware

from infra.local.guard import Guard
from infra.local.site import site, with_assets
from infra.local.sweeper import sweeping
from rag.errors import IndexMismatch
from rag.footnote import Footnote
from rag.runtime.bootstrap import bootstrap
from rag.runtime.observability import request_log
from rag.runtime.settings import Settings, SettingsError
from rag.wire import v3
from rag.wire.app import create_app
from rag.wire.request_log import Log


def embedded_app(footnote: Footnote, settings: Settings, log: Log) -> FastAPI:
    """All contracts behind one door."""
    guards = [
        Middleware(Guard, authenticator=footnote.authenticator, origins=settings.origins),
        Middleware(
            CORSMiddleware,
            allow_origins=settings.origins,
            allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
            allow_headers=["authorization", "content-type", "x-api-key", "x-request-id"],
            expose_headers=["x-request-id"],
        ),
    ]
    routers = [site, v3.ingest, v3.documents, v3.search, v3.chat]
    return with_assets(create_app(footnote, routers, log=log, guards=guards))


def main() -> int:
    """Serve until told to stop."""
    try:
        settings = Settings.from_environment(os.environ)
        footnote = bootstrap(settings)
    except (SettingsError, IndexMismatch) as wrong:
        print(wrong, file=sys.stderr)
        return 2
    app = embedded_app(footnote, settings, request_log(settings.log_level))
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=5,
    )
    print(f"Footnote serves on http://{settings.host}:{settings.port} (docs: /docs)", flush=True)
    with sweeping(*footnote.sweeps):
        uvicorn.Server(config).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
