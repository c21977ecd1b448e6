"""The door: every route, its authorizer, its key, and what the gateway itself says."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any, get_args

import botocore.session
import pytest
from fastapi.routing import iter_route_contexts

from rag.limits import PER_MINUTE
from rag.model import Tier
from rag.wire import envelope
from rag.wire.doors import of_widget
from rag.wire.widget import errors as widget
from tests.infrastructure.stack import ROOT, Stack, overrides

TIERS = get_args(Tier)
# The API sends requests to these; each folder's handler says by its routers what it serves.
HTTP = ("ingest", "jobs", "sources", "search", "chat", "site")
EVENTS = ("worker", "authorizer", "sweeper")
APIS = ("Api", "WidgetApi")
ALLOWED = {"authorization", "content-type", "x-api-key", "x-request-id"}
ALLOWED_AT = {"Api": ALLOWED | {"idempotency-key"}, "WidgetApi": ALLOWED | {"x-site"}}
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


def test_each_path_is_on_the_api_that_has_its_contracts_shape(stack: Stack) -> None:
    for api in APIS:
        paths = {path for _, path in stack.offered(api)}
        assert paths
        assert {of_widget(path) for path in paths} == {api == "WidgetApi"}


def is_page(path: str) -> bool:
    """Whether people look at it, who have no credentials yet and for whom no plan counts."""
    return not path.startswith("/api/")


def test_every_call_asks_the_authorizer_and_counts_for_a_plan(stack: Stack) -> None:
    for (method, path), operation in stack.operations.items():
        security = {name for one in operation.get("security", []) for name in one}
        open = method == "OPTIONS" or is_page(path)
        assert security == (set() if open else {"Identity", "api_key"}), (method, path)


@pytest.mark.parametrize("api", APIS)
def test_the_stage_counts_pages(stack: Stack, api: str) -> None:
    settings = stack.of("AWS::ApiGateway::Stage")[f"{api}Stage"]["MethodSettings"]
    throttled = {(one["HttpMethod"], one["ResourcePath"]) for one in settings}
    assert throttled == {
        (method, path if path == "/" else "/" + path.replace("/", "~1"))
        for method, path in stack.offered(api)
        if is_page(path) and method != "OPTIONS"
    }
    assert all(0 < one["ThrottlingRateLimit"] <= 100 for one in settings)


def test_each_api_is_told_where_the_other_is(stack: Stack) -> None:
    """An emulator has one address for both, and is told of none."""
    stages = stack.of("AWS::ApiGateway::Stage")
    address = "https://${%s}.execute-api.${AWS::Region}.${AWS::URLSuffix}"
    for api, variable in {
        "Api": {"widgetApi": {"Fn::Sub": address % "WidgetApi" + "/${Stage}"}},
        "WidgetApi": {"console": {"Fn::Sub": address % "Api"}},
    }.items():
        wanted = ["OnAws", variable, {"Ref": "AWS::NoValue"}]
        assert stages[f"{api}Stage"]["Variables"] == {"Fn::If": wanted}


@pytest.mark.parametrize("api", APIS)
def test_a_page_may_ask_first_on_every_path(stack: Stack, api: str) -> None:
    for path in {path for _, path in stack.offered(api)}:
        preflight = stack.operations["OPTIONS", path]
        answer = preflight["x-amazon-apigateway-integration"]["responses"]["default"]
        headers = answer["responseParameters"]
        allowed = headers["method.response.header.Access-Control-Allow-Methods"].strip("'")
        offered = {method for method, other in stack.operations if other == path}
        assert set(allowed.split(",")) == offered
        asked = headers["method.response.header.Access-Control-Allow-Headers"].lower()
        assert set(asked.strip("'").split(",")) == ALLOWED_AT[api]
        assert not [name for name in headers if "credentials" in name.lower()]


@pytest.mark.parametrize("api", APIS)
def test_the_authorizer_sees_every_request_afresh(stack: Stack, api: str) -> None:
    schemes = stack.api(api)["components"]["securitySchemes"]
    authorizer = schemes["Identity"]["x-amazon-apigateway-authorizer"]
    assert authorizer["type"] == "request"
    assert authorizer["authorizerResultTtlInSeconds"] == 0
    assert not authorizer.get("identitySource")
    assert "AuthorizerFunction" in json.dumps(authorizer["authorizerUri"])


def test_the_apis_are_regional_and_the_authorizer_names_the_key(
    source: dict[str, Any], stack: Stack
) -> None:
    apis = stack.of("AWS::ApiGateway::RestApi")
    assert set(apis) == set(APIS)
    for api in apis.values():
        assert api["EndpointConfiguration"] == {"Types": ["REGIONAL"]}
        assert api["ApiKeySourceType"] == {"Ref": "ApiKeySource"}
    assert source["Parameters"]["ApiKeySource"]["Default"] == "AUTHORIZER"
    assert len(stack.of("AWS::ApiGateway::Stage")) == len(APIS)


@pytest.fixture(scope="module", params=APIS)
def api(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def responses(stack: Stack, api: str) -> dict[str, Any]:
    answers: dict[str, Any] = stack.api(api)["x-amazon-apigateway-gateway-responses"]
    return answers


def bodies(responses: dict[str, Any]) -> dict[str, Any]:
    """What the gateway says, by the kind of its answer."""
    assert {tuple(one["responseTemplates"]) for one in responses.values()} == {
        ("application/json",)
    }
    texts = {kind: one["responseTemplates"]["application/json"] for kind, one in responses.items()}
    assert "$" not in str(texts), "a variable of the gateway's might break the JSON"
    return {kind: json.loads(text) for kind, text in texts.items()}


def test_the_gateway_has_an_answer_of_ours_for_everything(responses: dict[str, Any]) -> None:
    model = botocore.session.get_session().get_service_model("apigateway")
    assert set(responses) == set(model.shape_for("GatewayResponseType").enum)


def status_of(kind: str, response: dict[str, Any]) -> int:
    """The status that an answer stands for; the general ones must not hide what happened."""
    assert ("statusCode" in response) == (kind not in ("DEFAULT_4XX", "DEFAULT_5XX"))
    general = {"DEFAULT_4XX": 400, "DEFAULT_5XX": 500}
    return int(response.get("statusCode") or general[kind])


@pytest.mark.parametrize("api", ["Api"], indirect=True)
def test_what_the_gateway_says_is_what_a_function_would(responses: dict[str, Any]) -> None:
    for kind, body in bodies(responses).items():
        status = status_of(kind, responses[kind])
        assert list(body) == ["error", "message", "details"], kind
        assert body["message"], kind
        named = "Bad request" if kind == "DEFAULT_4XX" else STATUS_NAMES[status]
        assert body["error"] == named, kind
        told = {"field", "message"} if kind.startswith("BAD_REQUEST") else set()
        assert set(body["details"]) == told, kind


@pytest.mark.parametrize("api", ["WidgetApi"], indirect=True)
def test_what_the_widgets_gateway_says_is_what_a_function_would(responses: dict[str, Any]) -> None:
    for kind, body in bodies(responses).items():
        status = status_of(kind, responses[kind])
        assert list(body) == ["error"], kind
        error = body["error"]
        assert list(error) == ["code", "message", "details"], kind
        assert error["code"] == widget.CODES[status], kind
        assert error["message"] == widget.MESSAGES.get(status, error["message"]) != "", kind
        headers = responses[kind]["responseParameters"]
        match status:
            case 400 if kind != "DEFAULT_4XX":
                assert set(error["details"]) == {"field", "constraint"}, kind
            case 429 | 503:
                wait = headers["gatewayresponse.header.Retry-After"].strip("'")
                assert str(error["details"]["retry_after"]) == wait, kind
                assert set(error["details"]) - {"retry_after"} == (
                    {"limit"} if status == 429 else set()
                )
            case _:
                assert error["details"] is None, kind
        if status == 503:
            assert error["details"] == {"retry_after": widget.RETRY_AFTER}


def test_a_page_may_read_how_long_to_wait(responses: dict[str, Any], api: str) -> None:
    limits = {"X-RateLimit-Limit", "X-RateLimit-Remaining"} if api == "WidgetApi" else set()
    for response in responses.values():
        exposed = response["responseParameters"][
            "gatewayresponse.header.Access-Control-Expose-Headers"
        ]
        assert set(exposed.strip("'").split(",")) == {"X-Request-ID", "Retry-After"} | limits


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
    stages = stack.of("AWS::ApiGateway::Stage")
    counted = {one["ApiId"]["Ref"]: stages[one["Stage"]["Ref"]] for one in plan["ApiStages"]}
    # One and the same ceiling over both APIs.
    assert set(counted) == set(APIS)
    assert all(stage["RestApiId"] == {"Ref": api} for api, stage in counted.items())
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
    limited = {tier.capitalize(): limit for tier, limit in PER_MINUTE.items() if limit}
    assert len(limited) == 3
    for tier, limit in limited.items():
        assert source["Parameters"][f"{tier}Rate"]["Default"] * 60 >= 10 * limit
        assert source["Parameters"][f"{tier}Burst"]["Default"] >= limit / 10


def test_stages_are_named_by_their_environment() -> None:
    assert {name: overrides(name)["Stage"] for name in ("dev", "staging", "prod")} == {
        name: name for name in ("dev", "staging", "prod")
    }
