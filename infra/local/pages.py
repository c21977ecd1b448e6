"""Which web pages may call the embedded server."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from rag.wire.doors import public, wanted
from rag.wire.envelope import Problem
from rag.wire.shapes import shaped

LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})


class Pages:
    """With AUTH=open, a page of another origin must not reach a laptop's documents: neither by
    calling directly nor under a name of its own that it has made to point here."""

    def __init__(self, app: ASGIApp, open: bool, host: str, origins: tuple[str, ...]) -> None:
        self._app = app
        self._open = open
        self._names = LOCAL_NAMES | {f"[{host}]" if ":" in host else host}
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (reason := self._refusal(scope, Headers(scope=scope))):
            refusal = shaped(Problem(403, "Forbidden", reason), scope["path"])
            return await refusal(scope, receive, send)
        return await self._app(scope, receive, send)

    def _refusal(self, scope: Scope, headers: Headers) -> str | None:
        host = headers.get("host", "")
        if self._open and _without_port(host) not in self._names:
            return "This server answers to localhost only."
        if public(wanted(scope["method"], headers), scope["path"]):
            return None
        origin = headers.get("origin")
        if origin is not None:
            known = origin == f"{scope['scheme']}://{host}" or origin in self._origins
            # With credentials required, a browser's own rules do: it asks first, and is told no.
            asks = scope["method"] == "OPTIONS" and "access-control-request-method" in headers
            return (
                "Pages of this origin may not call." if not known and (self._open or asks) else None
            )
        elsewhere = headers.get("sec-fetch-site", "none") in ("cross-site", "same-site")
        # Not into a frame of theirs, where a click might be meant for something else.
        following_a_link = (
            scope["method"] == "GET"
            and headers.get("sec-fetch-mode") == "navigate"
            and headers.get("sec-fetch-dest", "document") == "document"
        )
        refused = self._open and elsewhere and not following_a_link
        return "Other pages may not call." if refused else None


class Zipped(GZipMiddleware):
    """Pages and their parts are compressed, as a gateway does it; what the API answers is small,
    and most who ask it are on this machine."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith("/api/"):
            return await self.app(scope, receive, send)
        return await super().__call__(scope, receive, send)


def _without_port(host: str) -> str:
    return host if host.endswith("]") else host.rsplit(":", 1)[0]
