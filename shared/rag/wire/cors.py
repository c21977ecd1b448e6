"""Which pages' scripts may read our answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rag.wire.doors import SCRIPT, public, wanted

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
HEADERS = ("authorization", "content-type", "idempotency-key", "x-api-key", "x-request-id")

# A page that asks before it calls cannot say for which site: that is seen when it calls.
PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "authorization, content-type, x-request-id, x-site",
    "Access-Control-Max-Age": "600",
}
EXPOSED = "X-Request-ID, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining"


class Cors:
    """What is anybody's may be read by every page whose origin was not refused; all else by pages
    of our own origins, one of which only the request may tell. Never with a browser's own
    credentials."""

    def __init__(
        self, app: ASGIApp, origins: Sequence[str], own: Callable[[Scope], str] = lambda _: ""
    ) -> None:
        self._app = app
        self._own = own
        self._origins = tuple(origins)
        self._owners = cache(self._for_owners)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        if not public(wanted(scope["method"], headers), scope["path"]):
            return await self._owners(self._own(scope))(scope, receive, send)
        origin = headers.get("origin")
        if scope["method"] == "OPTIONS":
            answer = Response(headers={**PREFLIGHT, **_readable(origin), "Vary": "Origin"})
            return await answer(scope, receive, send)

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start" and scope["path"] == SCRIPT:
                # The same for all, so that whatever keeps it need not know who asked.
                MutableHeaders(scope=message)["Access-Control-Allow-Origin"] = "*"
            elif message["type"] == "http.response.start":
                refused = scope.get("state", {}).get("refused_origin", False)
                answer = MutableHeaders(scope=message)
                answer.update(_readable(None if refused else origin))
                answer.add_vary_header("Origin")
            await send(message)

        return await self._app(scope, receive, told)

    def _for_owners(self, own: str) -> ASGIApp:
        return CORSMiddleware(
            self._app,
            allow_origins=(*self._origins, *filter(None, [own])),
            allow_methods=METHODS,
            allow_headers=HEADERS,
            expose_headers=["x-request-id"],
        )


def _readable(origin: str | None) -> dict[str, str]:
    """What lets a page of the origin read an answer, which is another one for other pages."""
    if origin is None:
        return {}
    return {"Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": EXPOSED}
