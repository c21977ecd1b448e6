from __future__ import annotations

import base64
import hmac
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

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


def _signed(claims: dict[str, Any], key: str | bytes = SECRET, **header: str) -> str:
    """What no honest library would sign: claims of wrong types, with keys that are none."""
    parts = ({"alg": "HS256", "typ": "JWT", **header}, claims)
    signed = ".".join(_base64(json.dumps(part).encode()) for part in parts)
    secret = key.encode() if isinstance(key, str) else key
    return f"{signed}.{_base64(hmac.digest(secret, signed.encode(), 'sha256'))}"


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


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
    "for somebody else": bearer({**CLAIMS, "aud": "billing"}),
    "for several, none of them us": bearer({**CLAIMS, "aud": ["billing", "foot", "footnotes"]}),
    "for nobody": bearer({**CLAIMS, "aud": []}),
    "audience of a wrong type": Credentials(bearer=_signed({**CLAIMS, "aud": {"footnote": 1}})),
    "audience that is nothing": Credentials(bearer=_signed({**CLAIMS, "aud": None})),
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


@pytest.mark.parametrize("audience", ["footnote", ["footnote"], ["billing", "footnote"]])
def test_a_token_that_says_whom_it_is_for_must_name_us(audience: str | list[str]) -> None:
    token = bearer({**CLAIMS, "aud": audience})
    assert authenticator().authenticate(token)
    with pytest.raises(Unauthorized):
        authenticator(audience="notes").authenticate(token)


def test_a_token_that_does_not_say_whom_it_is_for_is_for_everybody() -> None:
    assert authenticator(audience="notes").authenticate(bearer(CLAIMS))


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
    public = private.public_key()
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    der = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    modulus = base64.b64encode(public.public_numbers().n.to_bytes(256, "big"))
    for secret in (None, SECRET):
        door = authenticator(secret=secret, signing_keys=jwt.PyJWKClient(url))
        for known in (pem, pem.strip(), der, modulus):
            with pytest.raises(Unauthorized):
                door.authenticate(Credentials(bearer=_signed(CLAIMS, known, kid="k1")))


def test_a_shared_secret_cannot_be_used_as_an_issuers_key(issuer: Any) -> None:
    _, url = issuer
    door = authenticator(signing_keys=jwt.PyJWKClient(url))
    honest = _signed(CLAIMS, kid="k1")
    assert door.authenticate(Credentials(bearer=honest))
    head, body, signature = honest.split(".")
    renamed = _base64(b'{"alg":"RS256","typ":"JWT","kid":"k1"}')
    for forged in (f"{renamed}.{body}.{signature}", f"{head}.{body}."):
        with pytest.raises(Unauthorized):
            door.authenticate(Credentials(bearer=forged))


def test_an_issuers_token_for_somebody_else_is_refused(issuer: Any) -> None:
    private, url = issuer
    door = authenticator(signing_keys=jwt.PyJWKClient(url))
    assert door.authenticate(bearer({**CLAIMS, "aud": "footnote"}, private, "RS256", kid="k1"))
    with pytest.raises(Unauthorized):
        door.authenticate(bearer({**CLAIMS, "aud": "billing"}, private, "RS256", kid="k1"))


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
