"""HTTP in Lambda: API Gateway's events through Mangum to the same app as everywhere."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from fastapi import APIRouter
from mangum import Mangum
from mangum.adapter import DEFAULT_TEXT_MIME_TYPES
from mangum.handlers import APIGateway
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send

from rag.errors import Unauthorized
from rag.footnote import Footnote
from rag.runtime.gateway import address_in, below_in, principal_in, stage_variable
from rag.runtime.settings import Settings
from rag.wire.app import create_app
from rag.wire.caller import NO_CREDENTIALS
from rag.wire.cors import Cors
from rag.wire.doors import owners
from rag.wire.envelope import problem_of
from rag.wire.request_log import Log
from rag.wire.shapes import shaped


def gateway_handler(
    footnote: Footnote, settings: Settings, routers: Iterable[APIRouter], log: Log
) -> Callable[[dict[str, Any], Any], Any]:
    """A Lambda handler that serves the routers."""
    app = create_app(
        footnote,
        routers,
        log=log,
        identity=Middleware(GatewayIdentity),
        pages=[Middleware(Cors, origins=settings.origins, own=_console)],
    )
    asyncio.set_event_loop(_event_loop())
    # Pictures of ours are text, too, and the gateway passes nothing else on.
    text = [*DEFAULT_TEXT_MIME_TYPES, "image/svg+xml"]
    mangum = Mangum(app, lifespan="off", custom_handlers=[RestApi], text_mime_types=text)

    def handle(event: dict[str, Any], context: Any) -> Any:
        asyncio.set_event_loop(_event_loop())  # Mangum takes what is set
        return mangum(event, context)

    return handle


@cache
def _event_loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


class GatewayIdentity:
    """The caller is who the authorizer says, and nothing in the request can say otherwise."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        event = scope["aws.event"]
        principal = principal_in(event)
        if principal is None and owners(scope["method"], scope["path"]):
            refusal = shaped(problem_of(Unauthorized(NO_CREDENTIALS)), scope["path"])
            return await refusal(scope, receive, send)
        scope.setdefault("state", {}).update(
            principal=principal,
            address=address_in(event),
            widget_api=stage_variable(event, "widgetApi"),
            below=below_in(event),
        )
        return await self._app(scope, receive, send)


def _console(scope: Scope) -> str:
    """The origin that the console is at, if it is another than that of this API."""
    return stage_variable(scope["aws.event"], "console")


class RestApi(APIGateway):
    """Mangum's reading of the event, with the body's length, which the gateway leaves out."""

    @property
    def scope(self) -> Any:
        scope = super().scope
        headers = [header for header in scope["headers"] if header[0] != b"content-length"]
        length = str(len(self.body)).encode()
        return {**scope, "headers": [*headers, [b"content-length", length]]}
