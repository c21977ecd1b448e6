"""The authorizer lets in whom the embedded server would, and nobody else."""

from __future__ import annotations

import time
from typing import Any

import jwt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag.errors import Unavailable
from rag.model import Principal
from rag.runtime import functions
from rag.runtime.gateway import principal_in
from tests.unit.functions.conftest import SECRET, Call

STAGE = "arn:aws:execute-api:eu-central-1:123456789012:abc123/v1"
CLAIMS = {"sub": "ann", "org": "acme", "tier": "premium", "roles": ["admin"], "teams": ["x"]}


PUBLIC = ["POST/api/v1/chat", "POST/api/v1/feedback", "GET/api/v1/sites/site_1/look"]
OWNERS = [
    "GET/api/v1/chat",
    "POST/api/v1/chat/",
    "POST/api/v1/chat/x",
    "GET/api/v1/feedback",
    "GET/api/v1/sites",
    "POST/api/v1/sites",
    "DELETE/api/v1/sites/site_1",
    "DELETE/api/v1/sites/site_1/look",
    "GET/api/v1/sites/a/b/look",
    "POST/api/rag/search",
    "POST/api/chat",
]


def event(_route: str = "POST/api/rag/search", **headers: str) -> dict[str, Any]:
    """A REQUEST event; `_` in a header's name stands for `-`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    several = {name: [value] for name, value in named.items()}
    return {
        "type": "REQUEST",
        "methodArn": f"{STAGE}/{_route}",
        "httpMethod": "POST",
        "path": "/api/v1/chat",
        "headers": named,
        "multiValueHeaders": several,
        "requestContext": {"requestId": "gateway-1", "stage": "v1"},
    }


def token(secret: str = SECRET, **claims: Any) -> str:
    return f"Bearer {jwt.encode({**CLAIMS, **claims}, secret, 'HS256')}"


def test_a_token_is_let_in_as_who_it_names(call: Call) -> None:
    answer = call("authorizer", event(Authorization=token()))
    assert answer["principalId"] == "ann"
    assert answer["usageIdentifierKey"] == "0123456789abcdef-premium"
    given_on = {"requestContext": {"authorizer": answer["context"]}}
    assert principal_in(given_on) == Principal(
        "ann", "acme", "premium", frozenset({"admin"}), frozenset({"x"})
    )


def test_an_api_key_is_let_in(call: Call) -> None:
    key = functions.footnote().api_keys.create(Principal("n8n", "acme", "lightweight"))
    answer = call("authorizer", event(X_Api_Key=key))
    assert answer["context"]["sub"] == "n8n"
    assert answer["usageIdentifierKey"].endswith("-lightweight")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": ""},
        {"Authorization": "Basic YTpi"},
        {"Authorization": "Bearer "},
        {"Authorization": token(secret="another secret of at least 32 bytes")},
        {"Authorization": token(exp=int(time.time()) - 3600)},
        {"Authorization": token(org="../other")},
        {"x_api_key": "fn_unknown"},
        {"x_api_key": ""},
    ],
)
def test_anything_else_is_unauthorized(call: Call, headers: dict[str, str]) -> None:
    # The gateway answers 401 to exactly this message.
    with pytest.raises(Exception, match=r"^Unauthorized$"):
        call("authorizer", event(**headers))


@pytest.mark.parametrize("route", PUBLIC)
def test_anybody_is_let_in_where_anybody_may_come_and_nowhere_else(call: Call, route: str) -> None:
    answer = call("authorizer", event(route))
    assert answer["usageIdentifierKey"] == "0123456789abcdef-anonymous"
    [statement] = answer["policyDocument"]["Statement"]
    assert statement["Resource"] == f"{STAGE}/{route}"
    assert principal_in({"requestContext": {"authorizer": answer["context"]}}) is None
    # Who has a token is known there too; and a bad one is never the same as none.
    known = call("authorizer", event(route, Authorization=token()))
    assert known["context"]["sub"] == "ann"
    with pytest.raises(Exception, match=r"^Unauthorized$"):
        call("authorizer", event(route, Authorization="Bearer shh"))


@pytest.mark.parametrize("route", OWNERS)
def test_what_is_owners_is_not_anybodys(call: Call, route: str) -> None:
    with pytest.raises(Exception, match=r"^Unauthorized$"):
        call("authorizer", event(route))


def test_even_where_auth_is_open_credentials_are_required(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTH", "open")
    with pytest.raises(Exception, match=r"^Unauthorized$"):
        call("authorizer", event())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    garbage=st.text(max_size=80),
    cut=st.integers(0, 200),
    name=st.sampled_from(["Authorization", "x_api_key", "X_Org", "sub"]),
)
def test_nothing_forged_or_garbled_gets_in(call: Call, garbage: str, cut: int, name: str) -> None:
    whole = token()
    broken = whole[:cut] + garbage + whole[cut + 1 :]
    scheme, _, rest = broken.strip().partition(" ")
    if f"{scheme.capitalize()} {rest}" == whole:
        return  # nothing is broken: the scheme may be in any case
    with pytest.raises(Exception, match=r"^Unauthorized$"):
        call("authorizer", event(**{name: broken}))


def test_what_cannot_be_checked_fails_and_is_not_unauthorized(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(_: str) -> None:
        raise Unavailable("The table does not answer.")

    monkeypatch.setattr("rag.stores.apikeys.ApiKeys.principal", lambda self, key: down(key))
    with pytest.raises(Unavailable):
        call("authorizer", event(x_api_key="fn_any"))


def test_without_a_secret_it_fails_rather_than_makes_one(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JWT_SECRET")
    with pytest.raises(Exception, match="JWT_SECRET"):
        call("authorizer", event(Authorization=token()))


def test_no_line_holds_credentials(call: Call, capsys: pytest.CaptureFixture[str]) -> None:
    call("authorizer", event(Authorization=token()))
    with pytest.raises(Exception, match=r"^Unauthorized$"):
        call("authorizer", event(Authorization="Bearer shh.shh.shh"))
    out = capsys.readouterr().out
    assert '"message":"authorized"' in out
    assert '"message":"refused"' in out
    assert "shh" not in out
    assert token().split()[1] not in out
