"""`make token` and `make key`: credentials for the server on this machine."""

from __future__ import annotations

import os
import secrets
import sys
import time

import jwt

from rag.identity import principal_of
from rag.runtime.bootstrap import bootstrap
from rag.runtime.secrets import resolved
from rag.runtime.settings import Settings, SettingsError

VALID_SECONDS = 30 * 24 * 3600


def main(arguments: list[str]) -> int:
    """Print a token (sub, org, tier, roles, teams) or a new API key (org, tier, roles)."""
    try:
        settings = Settings.from_environment(resolved(os.environ))
        match arguments:
            case ["token", sub, org, tier, roles, teams]:
                print(token(settings, sub, org, tier, roles, teams))
            case ["key", org, tier, roles]:
                print(key(settings, org, tier, roles))
            case _:
                raise ValueError("use token SUB ORG TIER ROLES TEAMS, or key ORG TIER ROLES")
    except (SettingsError, ValueError) as wrong:
        print(f"No credentials were made: {wrong}", file=sys.stderr)
        return 2
    return 0


def token(settings: Settings, sub: str, org: str, tier: str, roles: str, teams: str) -> str:
    """A JWT that the local secret signs."""
    claims = _claims(sub, org, tier, roles, teams)
    principal_of(claims)
    now = int(time.time())
    secret = bootstrap(settings).parts.secret
    return jwt.encode({**claims, "iat": now, "exp": now + VALID_SECONDS}, secret, "HS256")


def key(settings: Settings, org: str, tier: str, roles: str) -> str:
    """An API key, stored by its hash."""
    principal = principal_of(_claims(f"key_{secrets.token_hex(8)}", org, tier, roles, ""))
    return bootstrap(settings).api_keys.create(principal)


def _claims(sub: str, org: str, tier: str, roles: str, teams: str) -> dict[str, object]:
    return {
        "sub": sub or "local",
        "org": org or "local",
        "tier": tier or "full",
        "roles": list(filter(None, roles.split(","))),
        "teams": list(filter(None, teams.split(","))),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
