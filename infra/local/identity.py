"""Who is calling the embedded server."""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from rag.errors import FootnoteError, Unauthorized
from rag.identity import LOCAL_OWNER, Authenticator, Credentials
from rag.model import Principal
from rag.wire.caller import NO_CREDENTIALS, OWNERS
from rag.wire.envelope import answer_to


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
            if credentials == Credentials():
                principal = self._principal(scope["path"], credentials)
            else:
                # A JWKS or a table may have to be read.
                principal = await asyncio.to_thread(self._principal, scope["path"], credentials)
        except FootnoteError as error:
            return await answer_to(error)(scope, receive, send)
        scope.setdefault("state", {})["principal"] = principal
        return await self._app(scope, receive, send)

    def _principal(self, path: str, credentials: Credentials) -> Principal | None:
        principal = self._authenticator.authenticate(credentials)
        owns = path.startswith(OWNERS)
        if principal is None and owns:
            raise Unauthorized(NO_CREDENTIALS)
        return None if principal is LOCAL_OWNER and not owns else principal
