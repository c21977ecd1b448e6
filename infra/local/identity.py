"""Who is calling the embedded server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from ipaddress import ip_address

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

    def __init__(self, app: ASGIApp, authenticator: Authenticator, trusted_proxies: int) -> None:
        self._app = app
        self._authenticator = authenticator
        self._trusted_proxies = trusted_proxies

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
        scope.setdefault("state", {}).update(
            principal=principal,
            address=caller_address(
                _peer(scope), headers.getlist("x-forwarded-for"), self._trusted_proxies
            ),
        )
        return await self._app(scope, receive, send)

    def _principal(self, for_owners: bool, credentials: Credentials) -> Principal | None:
        principal = self._authenticator.authenticate(credentials)
        if principal is None and for_owners:
            raise Unauthorized(NO_CREDENTIALS)
        return None if principal is LOCAL_OWNER and not for_owners else principal


def caller_address(peer: str, forwarded: Iterable[str], proxies: int) -> str:
    """Who calls: the other end of the connection, or where that is a proxy whom we trust, whoever
    called it. Each proxy adds its own caller to the end of `X-Forwarded-For`; what stands before
    those of ours, anybody may have written."""
    chain = [one.strip() for value in forwarded for one in value.split(",")] if proxies else []
    caller = [*chain, peer][-1 - proxies :][0]
    try:
        return str(ip_address(caller))
    except ValueError:
        return peer


def _peer(scope: Scope) -> str:
    client: tuple[str, int] | None = scope.get("client")
    return client[0] if client else ""
