"""The public keys of an issuer, fetched when they are needed."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

import jwt

# An issuer that does not answer is not asked again for so long: tokens that anybody can make up
# must not have every thread wait for it.
SILENCE_SECONDS = 10.0
TIMEOUT_SECONDS = 5.0


class JwksKeys:
    """PyJWT's client, which remembers keys, and this, which remembers failures."""

    def __init__(self, url: str, clock: Callable[[], float] = monotonic) -> None:
        self._client = jwt.PyJWKClient(url, timeout=TIMEOUT_SECONDS)
        self._clock = clock
        self._silent_until = 0.0

    def get_signing_key_from_jwt(self, token: str) -> jwt.PyJWK:
        """The key that the token names. Raises PyJWKClientError."""
        if self._clock() < self._silent_until:
            raise jwt.PyJWKClientConnectionError("The issuer did not answer a moment ago.")
        try:
            return self._client.get_signing_key_from_jwt(token)
        except jwt.PyJWKClientConnectionError:
            self._silent_until = self._clock() + SILENCE_SECONDS
            raise
