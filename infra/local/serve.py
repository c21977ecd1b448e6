"""The embedded server: everything in one process. `make run` starts it."""

from __future__ import annotations

import os
import signal
import socket
import sys
from contextlib import suppress

import uvicorn
from fastapi import FastAPI
from starlette.middleware import Middleware
from threadpoolctl import threadpool_limits

from infra.local.chores import chores
from infra.local.form_uploads import FormUploads
from infra.local.identity import Identity
from infra.local.pages import Pages
from infra.local.ready import NotReady, ready
from infra.local.site import site, with_assets
from infra.local.uploads import following_uploads
from rag.adapters.embedded.forms import URL, SignedForms
from rag.adapters.embedded.objects import FolderObjects
from rag.footnote import Footnote
from rag.runtime.observability import chore_failed, request_log
from rag.runtime.secrets import resolved
from rag.runtime.settings import Settings, SettingsError
from rag.wire import platform, v3, widget
from rag.wire.app import create_app
from rag.wire.cors import Cors
from rag.wire.ingest import ingest
from rag.wire.request_log import Log


class PortTaken(Exception):
    """Somebody else serves there; the message says what to do."""


def embedded_app(footnote: Footnote, settings: Settings, log: Log) -> FastAPI:
    """All contracts behind one door."""
    pages = [
        Middleware(
            Pages, open=settings.auth == "open", host=settings.host, origins=settings.origins
        ),
        Middleware(Cors, origins=settings.origins),
    ]
    identity = Middleware(
        Identity,
        authenticator=footnote.authenticator,
        trusted_proxies=settings.trusted_proxies,
    )
    routers = [
        site,
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
    ]
    parts, streamed = footnote.parts, []
    # A bucket takes its files itself.
    if isinstance(parts.objects, FolderObjects) and isinstance(parts.forms, SignedForms):
        uploads = FormUploads(parts.forms, parts.objects, parts.queue, settings.data_dir)
        routers.append(uploads.router)
        streamed.append(URL)
    app = create_app(footnote, routers, log=log, identity=identity, pages=pages, streamed=streamed)
    return with_assets(app)


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
    print(
        f"Footnote serves on http://{host}:{listening.getsockname()[1]} (docs: /docs)", flush=True
    )
    # Searches run side by side; threads of BLAS within each would only wait for one another.
    threadpool_limits(1, user_api="blas")
    # uvicorn finishes the requests at hand, and then passes the signal on.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    failed = chore_failed(settings.log_level)
    with (
        suppress(KeyboardInterrupt),
        chores(footnote.chores, failed=failed),
        following_uploads(footnote, failed=failed),
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
