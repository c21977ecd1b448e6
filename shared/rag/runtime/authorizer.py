"""The Lambda authorizer: the same check of credentials as embedded, answered as a policy."""

from __future__ import annotations

from typing import Any

from rag.errors import Unauthorized
from rag.identity import Authenticator
from rag.model import Principal, Tier
from rag.runtime.functions import footnote, settings, telemetry
from rag.runtime.gateway import credentials_in, policy, route_in, usage_key
from rag.runtime.settings import SettingsError
from rag.wire.doors import public


def authorize(event: dict[str, Any], _context: Any = None) -> dict[str, Any]:
    """Let the caller in as who they are, or as anybody where anybody may come. What cannot be
    checked fails, and lets nobody in."""
    try:
        principal = _principal(event)
    except Unauthorized as refused:
        telemetry().tell("refused", reason=refused.message)
        # The gateway answers 401 to this very word, and 500 to any other.
        raise Exception("Unauthorized") from None
    tier: Tier = principal.tier if principal else "anonymous"
    telemetry().tell("authorized", org=principal and principal.org, tier=tier)
    return policy(event["methodArn"], principal, usage_key(settings().tier_keys, tier))


def _principal(event: dict[str, Any]) -> Principal | None:
    credentials = credentials_in(event, settings().api_key_header)
    principal = _authenticator().authenticate(credentials)
    if principal is None and not public(*route_in(event)):
        raise Unauthorized("There are no credentials.")
    return principal


def _authenticator() -> Authenticator:
    if not settings().jwt_secret:
        # Where there are many machines, none may make a secret of its own.
        raise SettingsError("JWT_SECRET is not set: without it, no token can be checked.")
    return footnote().authenticator
