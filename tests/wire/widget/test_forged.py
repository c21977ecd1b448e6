"""Tokens and headers that a visitor has made up: nothing gets past its limit by them."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from itertools import count
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.conftest import Clock, Server
from tests.wire.widget.visits import CHAT, FEEDBACK, ask, question, remaining

CLAIMS = {"sub": "ann", "org": "acme", "tier": "premium"}
# What proxies and clouds say of who calls.
FORWARDING = (
    "X-Forwarded-For",
    "X-Real-IP",
    "X-Client-IP",
    "True-Client-IP",
    "CF-Connecting-IP",
    "X-Envoy-External-Address",
    "X-Original-Forwarded-For",
    "Client-IP",
)


@pytest.fixture(scope="module")
def issuer() -> rsa.RSAPrivateKey:
    """Whose tokens are accepted too."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


class Published:
    """The issuer's key, as it would be fetched."""

    def __init__(self, issuer: rsa.RSAPrivateKey) -> None:
        public = jwt.algorithms.RSAAlgorithm.to_jwk(issuer.public_key(), as_dict=True)
        self._key = jwt.PyJWK({**public, "alg": "RS256"})

    def get_signing_key_from_jwt(self, token: str) -> jwt.PyJWK:
        return self._key


@pytest.fixture(params=["open", "required"])
def server(
    request: pytest.FixtureRequest,
    start: Callable[..., Server],
    clock: Clock,
    issuer: rsa.RSAPrivateKey,
) -> Server:
    return start({"AUTH": request.param}, clock=clock, signing_keys=Published(issuer))


def part(value: object) -> str:
    """A part of a token."""
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def forged(secret: str, issuer: rsa.RSAPrivateKey) -> dict[str, str]:
    """Tokens as somebody would make them who would like to be premium."""
    lesser = {**CLAIMS, "tier": "lightweight"}
    head, body, signature = jwt.encode(lesser, secret, "HS256").split(".")
    rs_head, _, rs_signature = jwt.encode(lesser, issuer, "RS256").split(".")
    pem = issuer.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    hs256 = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256)
    confused = f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{part(CLAIMS)}"
    with_public_key = base64.urlsafe_b64encode(hs256.sign(confused.encode(), pem))
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return {
        "unsigned": jwt.encode(CLAIMS, None, "none"),
        "unsigned, in capitals": f"{part({'alg': 'NONE'})}.{part(CLAIMS)}.",
        "signature cut off": f"{head}.{body}.",
        "tampered tier": f"{head}.{part(CLAIMS)}.{signature}",
        "tampered tier, RS256": f"{rs_head}.{part(CLAIMS)}.{rs_signature}",
        "wrong key": jwt.encode(CLAIMS, "k" * 32, "HS256"),
        "another's RS256 key": jwt.encode(CLAIMS, stranger, "RS256"),
        "a public key as a secret": f"{confused}.{with_public_key.rstrip(b'=').decode()}",
        "HS256 called RS256": f"{part({'alg': 'RS256'})}.{body}.{signature}",
        "RS256 called HS256": f"{head}.{part(lesser)}.{rs_signature}",
        "another algorithm": jwt.encode(CLAIMS, secret * 2, "HS512"),
        "wrong audience": jwt.encode({**CLAIMS, "aud": "billing"}, secret, "HS256"),
        "wrong audience, RS256": jwt.encode({**CLAIMS, "aud": ["billing"]}, issuer, "RS256"),
        "expired": jwt.encode({**CLAIMS, "exp": 1}, secret, "HS256"),
        "not valid yet": jwt.encode({**CLAIMS, "nbf": 2**39}, secret, "HS256"),
        "unknown tier": jwt.encode({**CLAIMS, "tier": "root"}, secret, "HS256"),
        "nonsense": "a.b.c",
    }


def test_no_forged_token_is_anybodys_and_none_takes_from_an_allowance(
    server: Server, issuer: rsa.RSAPrivateKey
) -> None:
    secret = server.footnote.authenticator.secret
    assert secret
    for name, token in forged(secret, issuer).items():
        headers = {"Authorization": f"Bearer {token}"}
        for path in (CHAT, FEEDBACK):
            for tier in ("anonymous", "premium"):
                answer = server.http.post(path, json=question(tier), headers=headers)
                assert answer.status_code == 401, name
                assert answer.headers["www-authenticate"] == "Bearer"
                assert answer.json() == {
                    "error": {
                        "code": "UNAUTHORIZED",
                        "message": "Invalid or expired session token",
                        "details": None,
                    }
                }
    assert remaining(ask(server.http)) == 9


def test_honest_tokens_of_both_kinds_are_accepted(
    server: Server, issuer: rsa.RSAPrivateKey
) -> None:
    secret = server.footnote.authenticator.secret
    for key, algorithm in ((secret, "HS256"), (issuer, "RS256")):
        for more in ({}, {"aud": "footnote"}):
            token = jwt.encode({**CLAIMS, **more}, key, algorithm)
            answer = ask(server.http, {"Authorization": f"Bearer {token}"}, tier="premium")
            assert answer.status_code == 200


def test_a_made_up_api_key_is_nobodys(server: Server) -> None:
    answers = [ask(server.http, {"x-api-key": f"fn_{n}"}) for n in range(12)]
    statuses = [answer.status_code for answer in answers]
    if server.settings.auth == "open":
        assert statuses == [200] * 10 + [429] * 2  # ignored, as wherever no credentials are needed
    else:
        assert statuses == [401] * 12


def forwarding(address: str) -> dict[str, str]:
    """Everything by which a caller might say that it is at another address."""
    told = dict.fromkeys(FORWARDING, address)
    context = {"identity": {"sourceIp": address}, "authorizer": {"tier": "premium"}}
    return {
        **told,
        "Forwarded": f"for={address};proto=https;by={address}",
        "X-Amzn-Request-Context": json.dumps(context),
        "X-Amzn-Trace-Id": f"Self={address}",
        "X-Principal": json.dumps(CLAIMS),
        "Via": f"1.1 {address}",
    }


def test_no_header_makes_a_caller_another_visitor(server: Server) -> None:
    statuses = [
        ask(server.http, forwarding(f"192.0.2.{number}")).status_code for number in range(13)
    ]
    assert statuses == [200] * 10 + [429] * 3


def test_neither_a_site_nor_a_session_nor_a_page_makes_one(server: Server) -> None:
    sites = server.footnote.sites
    names = (f"Docs {number}" for number in count())

    def asks() -> int:
        id = sites.create("acme", "ann", next(names), ["https://a.example"], [], {}).id
        context: dict[str, Any] = {**question()["context"], "page_url": f"https://a.example/{id}"}
        headers = {"X-Site": id, "Origin": "https://a.example", "User-Agent": id}
        return ask(server.http, headers, context=context).status_code

    assert [asks() for _ in range(12)] == [200] * 10 + [429] * 2
