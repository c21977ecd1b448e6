"""The door: every route, its authorizer, its key, and what the gateway itself says."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any, get_args

import botocore.session
import pytest
from fastapi.routing import iter_route_contexts

from rag.model import Tier
from rag.wire import envelope
from tests.infrastructure.stack import ROOT, Stack, overrides

TIERS = get_args(Tier)
# The API sends requests to these; each folder's handler says by its routers what it serves.
HTTP = ("ingest", "jobs", "sources", "search", "chat")
EVENTS = ("worker", "authorizer", "sweeper")
# What the core does not raise, but the wire or the gateway answers.
MORE_NAMES = {
    405: "Method not allowed",
    415: "Unsupported media type",
    429: "Too many requests",
    500: "Internal server error",
}
STATUS_NAMES = {status: name for _, status, name in envelope.ANSWERS} | MORE_NAMES


def served(function: str) -> set[tuple[str, str]]:
    """Method and path of all that a function's handler serves."""
    handler = import_module(f"functions.{function}.handler").lambda_handler
    return {
        (method, route.path or "")
        for router in vars(handler)["_routers"]
        for route in iter_route_contexts(router.routes)
        for method in route.methods or []
    }


def test_every_folder_of_a_function_is_a_function_of_the_template(stack: Stack) -> None:
    folders = {path.parent.name for path in (ROOT / "functions").glob("*/handler.py")}
    assert set(stack.functions) == folders == {*HTTP, *EVENTS}


@pytest.mark.parametrize("function", HTTP)
def test_a_function_gets_the_routes_that_it_serves_and_no_others(
    stack: Stack, function: str
) -> None:
    assert stack.routes(function) == served(function)


def test_every_method_is_named_and_goes_to_one_function(stack: Stack) -> None:
    known = [route for function in HTTP for route in stack.routes(function)]
    offered = {route for route in stack.operations if route[0] != "OPTIONS"}
    assert sorted(known) == sorted(offered)
    assert not [path for method, path in offered if "ANY" in method or "proxy" in path]


def test_every_method_asks_the_authorizer_and_counts_for_a_plan(stack: Stack) -> None:
    for (method, path), operation in stack.operations.items():
        security = {name for one in operation.get("security", []) for name in one}
        wanted = set() if method == "OPTIONS" else {"Identity", "api_key"}
        assert security == wanted, (method, path)


def test_a_page_may_ask_first_on_every_path(stack: Stack) -> None:
    for path in {path for _, path in stack.operations}:
        preflight = stack.operations["OPTIONS", path]
        answer = preflight["x-amazon-apigateway-integration"]["responses"]["default"]
        headers = answer["responseParameters"]
        allowed = headers["method.response.header.Access-Control-Allow-Methods"].strip("'")
        offered = {method for method, other in stack.operations if other == path}
        assert set(allowed.split(",")) == offered
        asked = headers["method.response.header.Access-Control-Allow-Headers"].lower()
        ours = {"authorization", "content-type", "idempotency-key", "x-api-key", "x-request-id"}
        assert set(asked.strip("'").split(",")) == ours


def test_the_authorizer_sees_every_request_afresh(stack: Stack) -> None:
    schemes = stack.one("AWS::ApiGateway::RestApi")["Body"]["components"]["securitySchemes"]
    authorizer = schemes["Identity"]["x-amazon-apigateway-authorizer"]
    assert authorizer["type"] == "request"
    assert authorizer["authorizerResultTtlInSeconds"] == 0
    assert not authorizer.get("identitySource")
    assert "AuthorizerFunction" in json.dumps(authorizer["authorizerUri"])


def test_the_api_is_regional_and_the_authorizer_names_the_key(
    source: dict[str, Any], stack: Stack
) -> None:
    api = stack.one("AWS::ApiGateway::RestApi")
    assert api["EndpointConfiguration"] == {"Types": ["REGIONAL"]}
    assert api["ApiKeySourceType"] == {"Ref": "ApiKeySource"}
    assert source["Parameters"]["ApiKeySource"]["Default"] == "AUTHORIZER"
    assert len(stack.of("AWS::ApiGateway::Stage")) == 1


@pytest.fixture(scope="module")
def responses(stack: Stack) -> dict[str, Any]:
    body = stack.one("AWS::ApiGateway::RestApi")["Body"]
    answers: dict[str, Any] = body["x-amazon-apigateway-gateway-responses"]
    return answers


def test_the_gateway_has_an_answer_of_ours_for_everything(responses: dict[str, Any]) -> None:
    model = botocore.session.get_session().get_service_model("apigateway")
    assert set(responses) == set(model.shape_for("GatewayResponseType").enum)


def test_what_the_gateway_says_has_the_shape_of_our_errors(responses: dict[str, Any]) -> None:
    for kind, response in responses.items():
        assert list(response["responseTemplates"]) == ["application/json"], kind
        body = json.loads(response["responseTemplates"]["application/json"])
        assert list(body) == ["error", "message", "details"], kind
        assert body["message"], kind
        assert isinstance(body["details"], dict), kind
        assert "$" not in str(body), "a variable of the gateway's might break the JSON"


def test_what_the_gateway_says_is_named_as_by_the_functions(responses: dict[str, Any]) -> None:
    for kind, response in responses.items():
        body = json.loads(response["responseTemplates"]["application/json"])
        if kind in ("DEFAULT_4XX", "DEFAULT_5XX"):
            assert "statusCode" not in response, "it would hide what happened"
            assert body["error"] == {"4": "Bad request", "5": STATUS_NAMES[500]}[kind[8]]
        else:
            assert body["error"] == STATUS_NAMES[int(response["statusCode"])], kind
        if int(response.get("statusCode", 0)) == 400:
            assert set(body["details"]) == {"field", "message"}, kind


def test_an_unknown_path_is_not_found_and_no_lack_of_credentials(responses: dict[str, Any]) -> None:
    statuses = {kind: str(one.get("statusCode")) for kind, one in responses.items()}
    assert statuses["MISSING_AUTHENTICATION_TOKEN"] == "404"
    assert statuses["UNAUTHORIZED"] == "401"
    assert statuses["THROTTLED"] == statuses["QUOTA_EXCEEDED"] == "429"
    assert statuses["INTEGRATION_TIMEOUT"] == statuses["AUTHORIZER_FAILURE"] == "503"
    assert statuses["REQUEST_TOO_LARGE"] == "413"


def test_a_page_may_read_what_the_gateway_says(responses: dict[str, Any]) -> None:
    for kind, response in responses.items():
        headers = response["responseParameters"]
        assert headers["gatewayresponse.header.Access-Control-Allow-Origin"] == "'*'", kind
        assert headers["gatewayresponse.header.X-Request-ID"] == "context.requestId", kind
        status = str(response.get("statusCode"))
        assert ("gatewayresponse.header.Retry-After" in headers) == (status in ("429", "503")), kind
        assert ("gatewayresponse.header.WWW-Authenticate" in headers) == (status == "401"), kind


@pytest.mark.parametrize("tier", TIERS)
def test_a_tier_has_a_plan_and_the_key_that_the_authorizer_names(stack: Stack, tier: str) -> None:
    name = tier.capitalize()
    plan = stack.of("AWS::ApiGateway::UsagePlan")[f"{name}Plan"]
    (stage,) = plan["ApiStages"]
    assert stage["ApiId"] == {"Ref": "Api"}
    assert stage["Stage"] == {"Ref": next(iter(stack.of("AWS::ApiGateway::Stage")))}
    assert stack.of("AWS::ApiGateway::UsagePlanKey")[f"{name}PlanKey"] == {
        "KeyId": {"Ref": f"{name}Key"},
        "KeyType": "API_KEY",
        "UsagePlanId": {"Ref": f"{name}Plan"},
    }
    text, parts = stack.of("AWS::ApiGateway::ApiKey")[f"{name}Key"]["Value"]["Fn::Sub"]
    told = stack.functions["authorizer"]["Environment"]["Variables"]["TIER_KEYS"]
    assert (text, parts["Prefix"]) == (f"${{Prefix}}-{tier}", told)


def test_there_are_no_other_plans_and_only_premium_has_no_ceiling(stack: Stack) -> None:
    plans = stack.of("AWS::ApiGateway::UsagePlan")
    assert set(plans) == {f"{tier.capitalize()}Plan" for tier in TIERS}
    assert [name for name, plan in plans.items() if "Throttle" not in plan] == ["PremiumPlan"]


def test_a_ceiling_is_far_above_what_one_visitor_may(source: dict[str, Any]) -> None:
    per_minute = {"Anonymous": 10, "Lightweight": 30, "Full": 100}
    for tier, limit in per_minute.items():
        assert source["Parameters"][f"{tier}Rate"]["Default"] * 60 >= 10 * limit
        assert source["Parameters"][f"{tier}Burst"]["Default"] >= limit / 10


def test_stages_are_named_by_their_environment() -> None:
    assert {name: overrides(name)["Stage"] for name in ("dev", "staging", "prod")} == {
        name: name for name in ("dev", "staging", "prod")
    }
