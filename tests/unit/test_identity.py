from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from rag.adapters.jwks import SILENCE_SECONDS, JwksKeys
from rag.errors import Unauthorized, Unavailable
from rag.identity import LOCAL_OWNER, Authenticator, Credentials
from rag.model import Principal

SECRET = "s" * 32
CLAIMS = {"sub": "ann", "org": "acme", "tier": "full", "roles": ["admin"], "teams": ["x", "y"]}
NOW = 1_800_000_000.0
KEY_HOLDER = Principal("key_1", "acme")


def authenticator(*, open: bool = False, **parts: Any) -> Authenticator:
    return Authenticator(
        open=open,
        clock=lambda: NOW,
        api_key=lambda key: KEY_HOLDER if key == "known" else None,
        **{"secret": SECRET, **parts},
    )


def _signed(claims: dict[str, Any]) -> str:
    """What no honest library would sign: claims of wrong types."""
    return jwt.api_jws.encode(json.dumps(claims).encode(), SECRET, "HS256")


def bearer(
    claims: dict[str, Any], key: Any = SECRET, algorithm: str = "HS256", **header: Any
) -> Credentials:
    return Credentials(bearer=jwt.encode(claims, key, algorithm, headers=header or None))


def test_a_token_becomes_its_principal() -> None:
    expected = Principal("ann", "acme", "full", frozenset({"admin"}), frozenset({"x", "y"}))
    assert authenticator().authenticate(bearer(CLAIMS)) == expected


def test_without_credentials_the_owner_when_open_and_nobody_when_required() -> None:
    assert authenticator(open=True).authenticate(Credentials()) is LOCAL_OWNER
    assert authenticator(open=False).authenticate(Credentials()) is None


def test_an_api_key_becomes_its_principal() -> None:
    assert authenticator().authenticate(Credentials(api_key="known")) == KEY_HOLDER
    assert authenticator(open=True).authenticate(Credentials(api_key="known")) == KEY_HOLDER


def test_an_unknown_api_key_is_refused_when_required_and_ignored_when_open() -> None:
    with pytest.raises(Unauthorized):
        authenticator().authenticate(Credentials(api_key="guess"))
    assert authenticator(open=True).authenticate(Credentials(api_key="guess")) is LOCAL_OWNER


BAD_TOKENS = {
    "expired": bearer({**CLAIMS, "exp": NOW - 60}),
    "not valid yet": bearer({**CLAIMS, "nbf": NOW + 60}),
    "other secret": bearer(CLAIMS, "t" * 32),
    "other algorithm": bearer(CLAIMS, SECRET * 2, "HS512"),
    "no subject": bearer({**CLAIMS, "sub": None}),
    "empty subject": bearer({**CLAIMS, "sub": ""}),
    "no org": bearer({"sub": "ann"}),
    "org that could leave its key": bearer({**CLAIMS, "org": "acme#DOC"}),
    "unknown tier": bearer({**CLAIMS, "tier": "root"}),
    "roles of a wrong type": bearer({**CLAIMS, "roles": "admin"}),
    "exp of a wrong type": Credentials(bearer=_signed({**CLAIMS, "exp": "tomorrow"})),
    "exp that never comes": Credentials(bearer=_signed({**CLAIMS, "exp": float("nan")})),
    "exp beyond any number": Credentials(bearer=_signed({**CLAIMS, "exp": 10**400})),
    "half a character": Credentials(bearer=_signed({**CLAIMS, "sub": "\ud800"})),
    "unsigned": Credentials(bearer=jwt.encode(CLAIMS, None, "none")),
    "empty": Credentials(bearer=""),
    "noise": Credentials(bearer="a.b.c"),
}


@pytest.mark.parametrize("open", [True, False])
@pytest.mark.parametrize("credentials", BAD_TOKENS.values(), ids=BAD_TOKENS.keys())
def test_a_bad_token_is_always_refused(open: bool, credentials: Credentials) -> None:
    with pytest.raises(Unauthorized):
        authenticator(open=open).authenticate(credentials)


def test_a_clock_that_differs_a_little_does_no_harm() -> None:
    assert authenticator().authenticate(bearer({**CLAIMS, "exp": NOW - 5, "nbf": NOW + 5}))


@pytest.fixture(scope="module")
def issuer() -> Iterator[tuple[rsa.RSAPrivateKey, str]]:
    """An issuer that publishes its key over HTTP."""
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    public = jwt.algorithms.RSAAlgorithm.to_jwk(private.public_key(), as_dict=True)
    body = json.dumps({"keys": [{**public, "kid": "k1", "use": "sig", "alg": "RS256"}]}).encode()

    class Keys(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Keys)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield private, f"http://127.0.0.1:{server.server_port}/jwks.json"
    server.shutdown()
    server.server_close()


def test_an_issuers_token_is_checked_with_the_key_that_it_publishes(issuer: Any) -> None:
    private, url = issuer
    door = authenticator(signing_keys=jwt.PyJWKClient(url))
    principal = door.authenticate(bearer(CLAIMS, private, "RS256", kid="k1"))
    assert principal is not None
    assert principal.org == "acme"
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    for bad in (
        bearer(CLAIMS, stranger, "RS256", kid="k1"),
        bearer(CLAIMS, private, "RS256", kid="k2"),
    ):
        with pytest.raises(Unauthorized):
            door.authenticate(bad)


def test_a_public_key_cannot_be_used_as_a_shared_secret(issuer: Any) -> None:
    private, url = issuer
    door = authenticator(secret=None, signing_keys=jwt.PyJWKClient(url))
    n = private.public_key().public_numbers().n
    pem_like = base64.b64encode(n.to_bytes(256, "big")).decode()
    with pytest.raises(Unauthorized):
        door.authenticate(bearer(CLAIMS, pem_like, "HS256", kid="k1"))


def test_an_issuer_that_does_not_answer_admits_nobody() -> None:
    door = authenticator(signing_keys=jwt.PyJWKClient("http://127.0.0.1:9/jwks.json"))
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    with pytest.raises(Unavailable):
        door.authenticate(bearer(CLAIMS, private, "RS256", kid="k1"))


def test_an_issuer_that_was_silent_is_left_alone_for_a_while() -> None:
    now = [0.0]
    keys = JwksKeys("http://127.0.0.1:9/jwks.json", clock=lambda: now[0])
    asked: list[str] = []

    class Silent:
        def get_signing_key_from_jwt(self, token: str) -> None:
            asked.append(token)
            raise jwt.PyJWKClientConnectionError("no answer")

    keys._client = Silent()  # type: ignore[assignment]
    for token in ("a", "b", "c"):
        with pytest.raises(jwt.PyJWKClientConnectionError):
            keys.get_signing_key_from_jwt(token)
    assert asked == ["a"]
    now[0] += SILENCE_SECONDS
    with pytest.raises(jwt.PyJWKClientConnectionError):
        keys.get_signing_key_from_jwt("d")
    assert asked == ["a", "d"]
