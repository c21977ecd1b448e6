"""Who is calling, between the authorizer and the functions."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import Unauthorized
from rag.identity import Credentials
from rag.model import Principal, Tier
from rag.runtime.gateway import (
    address_in,
    context_of,
    credentials_in,
    policy,
    principal_in,
    route_in,
)

ARN = "arn:aws:execute-api:eu-central-1:123456789012:abc123/v1/GET/api/rag/documents/a/b"

names = st.frozensets(st.text(max_size=20), max_size=4)
principals = st.builds(
    Principal,
    sub=st.text(min_size=1, max_size=60),
    org=st.from_regex(r"[A-Za-z0-9._-]{1,64}", fullmatch=True),
    tier=st.sampled_from(get_args(Tier)),
    roles=names,
    teams=names,
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def event(context: Any, **more: Any) -> dict[str, Any]:
    return {"requestContext": {"authorizer": context}, **more}


@given(principals)
def test_a_principal_arrives_as_it_was_sent(principal: Principal) -> None:
    context = context_of(principal)
    assert all(isinstance(value, str) for value in context.values())
    assert principal_in(event(context)) == principal


@given(principals)
def test_headers_and_bodies_never_say_who_calls(principal: Principal) -> None:
    told = context_of(principal)
    forged = {f"x-{name}": value for name, value in told.items()} | told
    sent = event(None, headers=forged, body=forged, queryStringParameters=forged, authorizer=told)
    assert principal_in(sent) is None


@given(st.dictionaries(st.sampled_from(["sub", "org", "tier", "roles", "teams"]), json_values))
def test_a_garbled_context_lets_nobody_in(context: dict[str, Any]) -> None:
    try:
        principal = principal_in(event(context))
    except (ValueError, TypeError):
        return
    if principal is not None:
        assert (principal.sub, principal.org) == (context["sub"], context["org"])


@pytest.mark.parametrize("name", ["authorization", "Authorization", "AUTHORIZATION"])
@pytest.mark.parametrize("several", [True, False])
def test_header_names_have_no_case(name: str, several: bool) -> None:
    many, one = {"multiValueHeaders": {name: ["bearer t"]}}, {"headers": {name: "bearer t"}}
    sent: dict[str, Any] = many if several else one
    assert credentials_in(sent, "x-api-key") == Credentials(bearer="t")


def test_the_key_is_read_from_the_header_that_is_set() -> None:
    headers = {"headers": {"x-api-key": "plan", "X-Footnote-Key": "mine"}}
    assert credentials_in(headers, "x-footnote-key") == Credentials(api_key="mine")


def test_no_headers_are_no_credentials() -> None:
    for nothing in ({}, {"headers": None, "multiValueHeaders": None}):
        assert credentials_in(nothing, "x-api-key") == Credentials()


def test_credentials_sent_twice_are_refused() -> None:
    twice = {"multiValueHeaders": {"Authorization": ["Bearer a"], "authorization": ["Bearer b"]}}
    with pytest.raises(Unauthorized):
        credentials_in(twice, "x-api-key")


def test_the_policy_is_for_this_stage_of_this_api_only() -> None:
    answer = policy(ARN, Principal("ann", "acme"), "prefix-full")
    [statement] = answer["policyDocument"]["Statement"]
    assert statement["Effect"] == "Allow"
    assert statement["Resource"] == ARN.removesuffix("GET/api/rag/documents/a/b") + "*"
    assert answer["usageIdentifierKey"] == "prefix-full"
    assert "usageIdentifierKey" not in policy(ARN, Principal("ann", "acme"), None)


def test_whoever_has_no_credentials_may_do_just_what_they_are_about_to() -> None:
    answer = policy(ARN, None, "prefix-anonymous")
    [statement] = answer["policyDocument"]["Statement"]
    assert statement["Resource"] == ARN
    assert answer["usageIdentifierKey"] == "prefix-anonymous"
    assert principal_in(event(answer["context"])) is None


@pytest.mark.parametrize(
    ("arn", "route"),
    [
        (ARN, ("GET", "/api/rag/documents/a/b")),
        ("arn:aws:execute-api:eu-central-1:1:abc/v1/POST/", ("POST", "/")),
        ("arn:aws:execute-api:eu-central-1:1:abc/v1", ("", "")),
        ("", ("", "")),
    ],
)
def test_the_route_is_the_one_that_the_authorizer_is_asked_about(
    arn: str, route: tuple[str, str]
) -> None:
    assert route_in({"methodArn": arn, "path": "/api/v1/chat", "httpMethod": "POST"}) == route


def test_the_address_is_what_the_gateway_saw_whatever_headers_say() -> None:
    forged = {"X-Forwarded-For": "203.0.113.9", "Forwarded": "for=203.0.113.9"}
    sent = {"headers": forged, "requestContext": {"identity": {"sourceIp": "192.0.2.1"}}}
    assert address_in(sent) == "192.0.2.1"
    for nothing in ({}, {"requestContext": None}, {"requestContext": {"identity": None}}):
        assert address_in({**nothing, "headers": forged}) == ""
