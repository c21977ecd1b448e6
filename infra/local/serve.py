"""The embedded server: everything in one process. `make run` starts it."""

from __future__ import annotations

import os
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from starlette.middleware import Middleware
from threadpoolctl import threadpool_limits

from infra.local.chores import chores
from infra.local.demo import demonstrating
from infra.local.form_uploads import FormUploads
from infra.local.identity import Identity
from infra.local.pages import Pages, Zipped
from infra.local.ready import NotReady, ready
from infra.local.uploads import following_uploads
from rag.adapters.embedded.forms import URL, SignedForms
from rag.adapters.embedded.objects import FolderObjects
from rag.footnote import Footnote
from rag.query.quote import EXTRACTIVE
from rag.runtime.observability import chore_failed, request_log
from rag.runtime.secrets import resolved
from rag.runtime.settings import Settings, SettingsError
from rag.runtime.site import form_origins
from rag.wire.app import create_app
from rag.wire.contracts import ROUTERS
from rag.wire.cors import Cors
from rag.wire.request_log import Log
from rag.wire.site import WebSite, guide

SITE = Path(__file__).parents[2] / "functions" / "site"


class PortTaken(Exception):
    """Somebody else serves there; the message says what to do."""


def embedded_app(footnote: Footnote, settings: Settings, log: Log) -> FastAPI:
    """All contracts behind one door."""
    pages = [
        Middleware(
            Pages, open=settings.auth == "open", host=settings.host, origins=settings.origins
        ),
        Middleware(Cors, origins=settings.origins),
        Middleware(Zipped, minimum_size=1400),
    ]
    identity = Middleware(
        Identity,
        authenticator=footnote.authenticator,
        trusted_proxies=settings.trusted_proxies,
    )
    parts, streamed = footnote.parts, []
    routers = [website(footnote, settings).router, *ROUTERS]
    # A bucket takes its files itself.
    if isinstance(parts.objects, FolderObjects) and isinstance(parts.forms, SignedForms):
        uploads = FormUploads(parts.forms, parts.objects, parts.queue, settings.data_dir)
        routers.append(uploads.router)
        streamed.append(URL)
    return create_app(footnote, routers, log=log, identity=identity, pages=pages, streamed=streamed)


def website(footnote: Footnote, settings: Settings) -> WebSite:
    """What people look at, from the same folder as in Lambda."""

    def about() -> dict[str, str]:
        answerer = footnote.parts.answerer
        return {
            "runtime": "embedded",
            "embedder": footnote.parts.embedder.model,
            "answerer": answerer.name if answerer else EXTRACTIVE,
        }

    return WebSite(SITE, about, uploads=lambda: form_origins(settings))


def main() -> int:
    """Serve until told to stop."""
    try:
        settings = Settings.from_environment(resolved(os.environ))
        listening = listen(settings.host, settings.port)
        footnote = ready(settings)
    except (SettingsError, PortTaken, NotReady) as wrong:
        print(wrong, file=sys.stderr)
        return 2
    app = embedded_app(footnote, settings, request_log(settings.log_level))
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, proxy_headers=False, timeout_graceful_shutdown=5
    )
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    address = f"http://{host}:{listening.getsockname()[1]}"
    print(f"Footnote serves on {address} (console: /console, API: /docs)", flush=True)
    # Searches run side by side; threads of BLAS within each would only wait for one another.
    threadpool_limits(1, user_api="blas")
    # uvicorn finishes the requests at hand, and then passes the signal on.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    failed = chore_failed(settings.log_level)
    with (
        suppress(KeyboardInterrupt),
        chores(footnote.chores, failed=failed),
        following_uploads(footnote, failed=failed),
        demonstrating(footnote, guide.pages(SITE), failed=failed),
    ):
        uvicorn.Server(config).run(sockets=[listening])
    return 0


def listen(host: str, port: int) -> socket.socket:
    """Take the port before anything is loaded. Raises PortTaken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small answers at once only on sockets that say outright that they are TCP.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        return listening
    except OSError as taken:
        listening.close()
        raise PortTaken(
            f"Cannot serve on {host}:{port}: {taken.strerror}. Try PORT={port + 1} make run."
        ) from taken


if __name__ == "__main__":
    sys.exit(main())
