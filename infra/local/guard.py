"""The embedded server's door: which pages may call, and who is calling."""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from rag.errors import Unauthorized
from rag.identity import LOCAL_OWNER, Authenticator, Credentials
from rag.model import Principal
from rag.wire.envelope import answer_to, problem

LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
# Open to every page, and therefore never answered as the owner.
PUBLIC = ("/api/v1/", "/widget.js")
# Where a caller without credentials is the owner of this machine's documents.
OWNERS = ("/api/rag/", "/api/chat")


class Guard:
    """With AUTH=open, a page of another origin must not reach a laptop's documents: neither by
    calling directly nor under a name of its own that it has made to point here."""

    def __init__(
        self, app: ASGIApp, authenticator: Authenticator, origins: tuple[str, ...]
    ) -> None:
        self._app = app
        self._authenticator = authenticator
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        if self._authenticator.open and (reason := self._refusal(scope, headers)):
            return await problem(403, "Forbidden", reason)(scope, receive, send)
        try:
            # A JWKS or a table may have to be read.
            principal = await asyncio.to_thread(self._principal, scope["path"], headers)
        except Unauthorized as error:
            return await answer_to(error)(scope, receive, send)
        scope.setdefault("state", {})["principal"] = principal
        return await self._app(scope, receive, send)

    def _refusal(self, scope: Scope, headers: Headers) -> str | None:
        host = headers.get("host", "")
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        if name not in LOCAL_NAMES:
            return "This server answers to localhost only."
        if scope["path"].startswith(PUBLIC):
            return None
        origin = headers.get("origin")
        if origin is not None:
            own = origin == f"{scope['scheme']}://{host}"
            return None if own or origin in self._origins else "Pages of this origin may not call."
        elsewhere = headers.get("sec-fetch-site", "none") in ("cross-site", "same-site")
        following_a_link = headers.get("sec-fetch-mode") == "navigate" and scope["method"] == "GET"
        return "Other pages may not call." if elsewhere and not following_a_link else None

    def _principal(self, path: str, headers: Headers) -> Principal | None:
        principal = self._authenticator.authenticate(credentials(headers))
        if principal is LOCAL_OWNER and not path.startswith(OWNERS):
            return None
        return principal


def credentials(headers: Headers) -> Credentials:
    """What the request brought along."""
    authorization = headers.get("authorization")
    bearer = None
    if authorization is not None:
        scheme, _, bearer = authorization.partition(" ")
        if scheme.lower() != "bearer":
            raise Unauthorized("Only bearer tokens are understood in Authorization.")
    return Credentials(bearer and bearer.strip(), headers.get("x-api-key"))
