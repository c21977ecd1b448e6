"""Who is calling the embedded server."""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from rag.errors import FootnoteError, Unauthorized
from rag.identity import LOCAL_OWNER, Authenticator, Credentials
from rag.model import Principal
from rag.wire.caller import NO_CREDENTIALS
from rag.wire.doors import owners
from rag.wire.envelope import problem_of
from rag.wire.shapes import shaped


class Identity:
    """Makes the principal of the credentials, before anything of the body is looked at."""

    def __init__(self, app: ASGIApp, authenticator: Authenticator) -> None:
        self._app = app
        self._authenticator = authenticator

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        try:
            headers = Headers(scope=scope)
            credentials = Credentials.of(headers.get("authorization"), headers.get("x-api-key"))
            for_owners = owners(scope["method"], scope["path"])
            if credentials == Credentials():
                principal = self._principal(for_owners, credentials)
            else:
                # A JWKS or a table may have to be read.
                principal = await asyncio.to_thread(self._principal, for_owners, credentials)
        except FootnoteError as error:
            refusal = shaped(problem_of(error), scope["path"])
            return await refusal(scope, receive, send)
        scope.setdefault("state", {}).update(principal=principal, address=_address(scope))
        return await self._app(scope, receive, send)

    def _principal(self, for_owners: bool, credentials: Credentials) -> Principal | None:
        principal = self._authenticator.authenticate(credentials)
        if principal is None and for_owners:
            raise Unauthorized(NO_CREDENTIALS)
        return None if principal is LOCAL_OWNER and not for_owners else principal


def _address(scope: Scope) -> str:
    """Whoever is at the other end of the connection."""
    client: tuple[str, int] | None = scope.get("client")
    return client[0] if client else ""
