"""What API Gateway and our functions tell each other about the caller.

The authorizer says who it is, in the context of its answer; the gateway hands that to the function
in the event, where no caller can write. All values there are strings.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rag.errors import Unauthorized
from rag.identity import Credentials, principal_of
from rag.model import Principal, Tier

SETS = ("roles", "teams")


def context_of(principal: Principal) -> dict[str, str]:
    """The principal as the authorizer writes it."""
    return {
        "sub": principal.sub,
        "org": principal.org,
        "tier": principal.tier,
        "roles": json.dumps(sorted(principal.roles)),
        "teams": json.dumps(sorted(principal.teams)),
    }


def principal_in(event: Mapping[str, Any]) -> Principal | None:
    """The principal as the authorizer wrote it, or None where none did. Raises ValueError where it
    is not as agreed."""
    context = (event.get("requestContext") or {}).get("authorizer") or {}
    if "sub" not in context:
        return None
    lists = {name: json.loads(context.get(name, "[]")) for name in SETS}
    try:
        return principal_of({**context, **lists})
    except KeyError as missing:
        raise ValueError(f"the authorizer's context has no {missing}") from missing


def address_in(event: Mapping[str, Any]) -> str:
    """The caller's address as the gateway saw it, whatever the request's headers say."""
    context = event.get("requestContext") or {}
    return (context.get("identity") or {}).get("sourceIp") or ""


def below_in(event: Mapping[str, Any]) -> str:
    """The way from the page that is asked for to the API's root: the gateway also answers for that
    without its last slash, where a browser takes the stage for a page's name."""
    path: str = (event.get("requestContext") or {}).get("path") or "/"
    return "" if event.get("path") != "/" or path.endswith("/") else path.rpartition("/")[2] + "/"


def stage_variable(event: Mapping[str, Any], name: str) -> str:
    """What the template says to the stage, where a function's environment cannot have it: an API
    is made of its functions, so that they cannot be told its address."""
    value: str = (event.get("stageVariables") or {}).get(name) or ""
    return value


def credentials_in(event: Mapping[str, Any], api_key_header: str) -> Credentials:
    """What the request brought along. Raises Unauthorized where that is not clear."""
    return Credentials.of(_header(event, "authorization"), _header(event, api_key_header.lower()))


def route_in(event: Mapping[str, Any]) -> tuple[str, str]:
    """The method and the path that the authorizer is asked about."""
    parts = event.get("methodArn", "").split("/", 3)
    return (parts[2], f"/{parts[3]}") if len(parts) == 4 else ("", "")


def policy(method_arn: str, principal: Principal | None, usage_key: str | None) -> dict[str, Any]:
    """The authorizer's answer for someone who may call; it is made anew for every call. Whoever
    has no credentials may do just this."""
    api, stage, _ = method_arn.split("/", 2)
    answer = {
        "principalId": principal.sub if principal else "anonymous",
        "policyDocument": {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Action": "execute-api:Invoke",
                    "Effect": "Allow",
                    "Resource": f"{api}/{stage}/*" if principal else method_arn,
                }
            ],
        },
        "context": context_of(principal) if principal else {},
    }
    return {**answer, "usageIdentifierKey": usage_key} if usage_key else answer


def usage_key(prefix: str | None, tier: Tier) -> str | None:
    """The key of the tier's usage plan, whose value the template derives in the same way."""
    return f"{prefix}-{tier}" if prefix else None


def _header(event: Mapping[str, Any], name: str) -> str | None:
    """A header's one value: with several, whoever stands between us might have read another."""
    several = event.get("multiValueHeaders") or {}
    single = {key: [value] for key, value in (event.get("headers") or {}).items()}
    values = {
        value
        for headers in (several, single)
        for key, of_key in headers.items()
        if key.lower() == name
        for value in of_key
    }
    if len(values) > 1:
        raise Unauthorized("The credentials were sent more than once.")
    return next(iter(values), None)
