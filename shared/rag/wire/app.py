"""The FastAPI app that any function, or the embedded server, makes of some routers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import JSONResponse
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

from rag.footnote import Footnote
from rag.wire.body_limit import BodyLimit
from rag.wire.envelope import Problem
from rag.wire.failures import Failures
from rag.wire.request_log import Log, RequestLog
from rag.wire.shapes import shaped
from rag.wire.usage_record import UsageRecord
from rag.wire.workers import Workers

NAMES = {404: "Not found", 405: "Method not allowed"}


def create_app(
    footnote: Footnote,
    routers: Iterable[APIRouter],
    *,
    log: Log,
    identity: Middleware,
    pages: Sequence[Middleware] = (),
    streamed: Collection[str] = (),
) -> FastAPI:
    """Serve the routers: `pages` may call, and `identity` says who does.

    The paths that are `streamed` take bodies of any size, piece by piece."""
    app = FastAPI(
        openapi_url=None,  # one function knows a part of the API: the site tells of all
        redirect_slashes=False,
        middleware=[
            # The outermost: an answer's time in the log is without it.
            Middleware(UsageRecord, record=lambda org, used: footnote.usages.add(org, used)),
            Middleware(RequestLog, log=log),
            *pages,  # around the failures, so that a page may read them
            Middleware(Failures),
            identity,
            Middleware(BodyLimit, streamed=streamed),
        ],
        exception_handlers={HTTPException: _unrouted},
    )
    app.state.footnote = footnote
    app.state.workers = Workers()
    for router in routers:
        app.include_router(router)
    # FastAPI makes routes when they are first looked at, which takes a while: not while many call.
    list(iter_route_contexts(app.routes))
    return app


async def _unrouted(request: Request, error: Exception) -> JSONResponse:
    """What the router itself refuses: unknown paths and wrong methods."""
    assert isinstance(error, HTTPException)  # noqa: S101
    messages = {
        404: f"There is nothing at {request.url.path[:200]}.",
        405: f"{request.method} is not possible here.",
    }
    refusal = Problem(
        error.status_code,
        NAMES.get(error.status_code, "Bad request"),
        messages.get(error.status_code, str(error.detail)),
        headers=error.headers or {},
    )
    return shaped(refusal, request.scope["path"])
