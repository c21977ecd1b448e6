"""Who is calling: credentials in, principal out. The same function on every runtime.

The library of tokens is imported where one is checked: in AWS, only the authorizer does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast, get_args

from rag.clock import Clock
from rag.errors import Unauthorized, Unavailable
from rag.model import Principal, Tier

if TYPE_CHECKING:
    import jwt

# An org is part of keys and of namespaces.
ORG = re.compile(r"[A-Za-z0-9._-]{1,64}")
LONGEST_SUBJECT = 256
# Clocks of issuers differ from ours a little.
LEEWAY_SECONDS = 30

LOCAL_OWNER = Principal(sub="local", org="local", tier="premium", roles=frozenset({"admin"}))


class SigningKeys(Protocol):
    """Public keys of an issuer, as PyJWT's JWKS client offers them."""

    def get_signing_key_from_jwt(self, token: str) -> jwt.PyJWK: ...


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a request brought along."""

    bearer: str | None = None
    api_key: str | None = None

    @classmethod
    def of(cls, authorization: str | None, api_key: str | None) -> Credentials:
        """Those of the two headers; a token goes before a key. Raises Unauthorized."""
        if authorization is None:
            return cls(api_key=api_key)
        scheme, _, bearer = authorization.partition(" ")
        if scheme.lower() != "bearer":
            raise Unauthorized("Only bearer tokens are understood in Authorization.")
        return cls(bearer=bearer.strip())


@dataclass(frozen=True, slots=True)
class Authenticator:
    """Checks credentials. `open` admits callers without any as the owner of org `local`."""

    open: bool
    clock: Clock
    api_key: Callable[[str], Principal | None]
    secret: str | None = None
    signing_keys: SigningKeys | None = None
    audience: str = "footnote"  # what a token that says whom it is for must name

    def authenticate(self, credentials: Credentials) -> Principal | None:
        """The caller, or None for one without credentials where they are required.

        Bad credentials are never the same as none. Raises Unauthorized, or Unavailable where
        they cannot be checked.
        """
        if credentials.bearer is not None:
            return self._from_token(credentials.bearer)
        if credentials.api_key is not None:
            principal = self.api_key(credentials.api_key)
            if principal is not None:
                return principal
            if not self.open:
                raise Unauthorized("This API key is not known.")
        return LOCAL_OWNER if self.open else None

    def _from_token(self, token: str) -> Principal:
        import jwt

        try:
            claims = jwt.decode(
                token,
                *self._key_for(token),
                # Times are checked below, against our own clock, and the audience, where it is
                # said.
                options={
                    "verify_exp": False,
                    "verify_nbf": False,
                    "verify_iat": False,
                    "verify_aud": False,
                    "verify_sub": False,
                },
            )
            self._check_times(claims)
            self._check_audience(claims)
            return principal_of(claims)
        except jwt.PyJWKClientConnectionError as silent:
            raise Unavailable("The keys of the token's issuer cannot be read.") from silent
        except (jwt.PyJWTError, ValueError, TypeError, KeyError) as bad:
            raise Unauthorized("The bearer token is invalid or expired.") from bad

    def _key_for(self, token: str) -> tuple[Any, list[str]]:
        """The key and the one algorithm it is for: a token never chooses how it is checked."""
        import jwt

        algorithm = jwt.get_unverified_header(token).get("alg")
        if algorithm == "HS256" and self.secret:
            return self.secret, ["HS256"]
        if algorithm == "RS256" and self.signing_keys is not None:
            return self.signing_keys.get_signing_key_from_jwt(token).key, ["RS256"]
        raise ValueError("no key for this algorithm")

    def _check_times(self, claims: Mapping[str, Any]) -> None:
        now = self.clock()
        if "exp" in claims and now >= _moment(claims["exp"]) + LEEWAY_SECONDS:
            raise ValueError("expired")
        if "nbf" in claims and now < _moment(claims["nbf"]) - LEEWAY_SECONDS:
            raise ValueError("not valid yet")

    def _check_audience(self, claims: Mapping[str, Any]) -> None:
        """A token for somebody else is none for us, though the same issuer has signed it."""
        if "aud" in claims:
            named = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
            if self.audience not in named:
                raise ValueError("for somebody else")


def _moment(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("times are numbers")
    if not -1e12 < value < 1e12:  # neither is NaN
        raise ValueError("no such time")
    return float(value)


def principal_of(claims: Mapping[str, Any]) -> Principal:
    """The principal that claims describe. Raises ValueError where they are not as agreed."""
    sub, org, tier = claims["sub"], claims["org"], claims.get("tier", "lightweight")
    if not (isinstance(sub, str) and 0 < len(sub.encode()) <= LONGEST_SUBJECT):
        raise ValueError(f"sub must be a text of 1 to {LONGEST_SUBJECT} bytes")
    if not (isinstance(org, str) and ORG.fullmatch(org)):
        raise ValueError("org must be 1 to 64 letters, digits, dots, dashes or underscores")
    if tier not in get_args(Tier):
        raise ValueError(f"tier must be one of {', '.join(get_args(Tier))}")
    return Principal(
        sub, org, cast(Tier, tier), _names(claims.get("roles")), _names(claims.get("teams"))
    )


def _names(value: Any) -> frozenset[str]:
    if value is None:
        return frozenset()
    if not (isinstance(value, list) and all(isinstance(name, str) for name in value)):
        raise ValueError("roles and teams are lists of names")
    return frozenset(value)
