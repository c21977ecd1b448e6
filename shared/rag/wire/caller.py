"""Who is calling, as routes see it. How the caller became known is the runtime's matter."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyHeader, HTTPBearer

from rag.errors import Unauthorized
from rag.footnote import Footnote
from rag.model import Principal

# Dependencies are coroutines because FastAPI runs plain functions in a thread, one hop for each.

NO_CREDENTIALS = "Credentials are required: a bearer token or an API key."


async def caller(request: Request) -> Principal:
    """The authenticated caller; whoever has no credentials is turned away."""
    principal: Principal | None = getattr(request.state, "principal", None)
    if principal is None:
        raise Unauthorized(NO_CREDENTIALS)
    return principal


async def footnote(request: Request) -> Footnote:
    """The application that the runtime has put together."""
    application: Footnote = request.app.state.footnote
    return application


# For the documentation: the runtime has looked at both before a route is reached.
CREDENTIALS = [
    Security(HTTPBearer(auto_error=False)),
    Security(APIKeyHeader(name="x-api-key", auto_error=False)),
]

Caller = Annotated[Principal, Depends(caller)]
App = Annotated[Footnote, Depends(footnote)]
