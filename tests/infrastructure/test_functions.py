"""What the functions run on, what they are told, and what they may do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rag.ingest.intake import PREFIX as JOBS
from rag.ingest.uploads import PREFIX as UPLOADS
from rag.runtime.settings import Settings
from rag.stores.tickets import PREFIX as INCOMING
from rag.wire.body_limit import LARGEST_BODY
from tests.infrastructure.stack import Stack, listed
from tests.infrastructure.test_api import APIS, EVENTS, HTTP

GATEWAY_SECONDS = 29
LIBRARIES = ("AWS_", "POWERTOOLS_", "PYDANTIC_")  # whose own settings begin so
KNOWN = {name.upper() for name in Settings.model_fields}
VENDORS = {"OPENAI_API_KEY", "PINECONE_API_KEY"}
SECRETS = {
    "ingest": VENDORS,
    "search": VENDORS,
    "chat": VENDORS,
    "worker": VENDORS,
    "sweeper": VENDORS,
    "authorizer": {"JWT_SECRET"},
    "jobs": set(),
    "sources": set(),
    "site": set(),
}
READS = {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"}
WRITES = {
    "dynamodb:PutItem",
    "dynamodb:UpdateItem",
    "dynamodb:DeleteItem",
    "dynamodb:BatchWriteItem",
    "dynamodb:ConditionCheckItem",
}
TABLES = {  # items, fleeting
    "ingest": (
        READS | WRITES,
        {"dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"},
    ),
    "jobs": (READS | {"dynamodb:UpdateItem"}, {"dynamodb:Query"}),
    "sources": (READS | WRITES, set()),
    "search": (READS, READS | WRITES),
    "chat": (READS | WRITES, READS | WRITES),
    "worker": (READS | WRITES, {"dynamodb:UpdateItem"}),
    "authorizer": ({"dynamodb:GetItem"}, set()),
    "site": (set(), set()),
    "sweeper": (READS | WRITES, READS | WRITES),
}
BUCKET = "${AWS::StackName}-uploads-${AWS::AccountId}-${AWS::Region}"
BUCKET_ARN = f"arn:${{AWS::Partition}}:s3:::{BUCKET}"


def below(*prefixes: str) -> list[Any]:
    """All objects of the bucket whose keys begin so."""
    return [{"Fn::Sub": f"{BUCKET_ARN}/{prefix}*"} for prefix in prefixes]


IN_BUCKET = {
    "ingest": [
        ({"s3:PutObject"}, below(JOBS, INCOMING)),
        ({"s3:GetObject"}, below(INCOMING)),
        ({"s3:ListBucket"}, [{"Fn::Sub": BUCKET_ARN}]),
    ],
    "worker": [
        ({"s3:GetObject"}, below(UPLOADS, INCOMING, JOBS)),
        ({"s3:ListBucket"}, [{"Fn::Sub": BUCKET_ARN}]),
    ],
}
SENDS = {"sqs:SendMessage", "sqs:SendMessageBatch"}
TAKES = {
    "sqs:ReceiveMessage",
    "sqs:DeleteMessage",
    "sqs:GetQueueAttributes",
    "sqs:ChangeMessageVisibility",
}
QUEUE, DEAD_QUEUE = ({"Fn::GetAtt": [name, "Arn"]} for name in ("Queue", "DeadQueue"))
IN_QUEUES = {
    "ingest": [(SENDS, [QUEUE])],
    "worker": [(TAKES, [QUEUE]), (SENDS, [QUEUE, DEAD_QUEUE])],
    "sweeper": [(SENDS, [QUEUE])],
}
# What a function is told of them.
TOLD = {
    "ingest": {"UPLOADS_BUCKET", "QUEUE_URL", "DEAD_QUEUE_URL"},
    "worker": {"UPLOADS_BUCKET", "QUEUE_URL", "DEAD_QUEUE_URL"},
    "sweeper": {"QUEUE_URL", "DEAD_QUEUE_URL"},
    "site": {"UPLOADS_BUCKET"},  # its pages send files there, itself nothing
}


def variables(stack: Stack, function: str) -> dict[str, Any]:
    told: dict[str, Any] = stack.functions[function]["Environment"]["Variables"]
    return told


def allowed(stack: Stack, function: str, service: str) -> list[tuple[set[str], list[Any]]]:
    """What a function may do to a service: actions and resources."""
    role = stack.role_of(function)
    return [
        (set(listed(statement["Action"])), listed(statement["Resource"]))
        for name, statement in stack.statements()
        if name == role and listed(statement["Action"])[0].startswith(f"{service}:")
    ]


@pytest.mark.parametrize("function", [*HTTP, *EVENTS])
def test_a_function_is_built_as_it_is_imported(source: dict[str, Any], function: str) -> None:
    resource = source["Resources"][f"{function.capitalize()}Function"]
    assert resource["Properties"]["CodeUri"] == f"functions/{function}/"
    assert resource["Properties"]["Handler"] == f"functions.{function}.handler.lambda_handler"
    assert resource["Metadata"]["BuildProperties"] == {
        "ParentPackageMode": "explicit",
        "ParentPackages": f"functions.{function}",
    }


@pytest.mark.parametrize("function", [*HTTP, *EVENTS])
def test_a_function_has_the_layer_traces_and_logs_that_end(stack: Stack, function: str) -> None:
    properties = stack.functions[function]
    (layer,) = properties["Layers"]
    assert layer["Ref"] in stack.of("AWS::Lambda::LayerVersion")
    assert properties["TracingConfig"] == {"Mode": "Active"}
    group = stack.of("AWS::Logs::LogGroup")[properties["LoggingConfig"]["LogGroup"]["Ref"]]
    assert group["RetentionInDays"] == {"Ref": "LogRetention"}
    name = properties["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"]["Fn::Sub"]
    assert group["LogGroupName"] == {"Fn::Sub": f"/aws/lambda/{name}"}
    assert properties["Runtime"] == {"Ref": "Runtime"}
    assert properties["Architectures"] == [{"Ref": "Architecture"}]


def test_the_layer_is_built_for_what_the_functions_run_on(source: dict[str, Any]) -> None:
    layer = source["Resources"]["Layer"]
    assert layer["Properties"]["ContentUri"] == "shared/"
    assert layer["Metadata"] == {
        "BuildMethod": {"Ref": "Runtime"},
        "BuildArchitecture": {"Ref": "Architecture"},
    }
    assert source["Parameters"]["Runtime"]["Default"] == "python3.13"
    assert source["Parameters"]["Architecture"]["Default"] == "arm64"


@pytest.mark.parametrize("function", HTTP)
def test_an_http_function_gives_up_just_before_the_gateway(stack: Stack, function: str) -> None:
    assert GATEWAY_SECONDS - 2 < stack.functions[function]["Timeout"] < GATEWAY_SECONDS


def test_the_sweeper_is_done_before_its_next_minute(stack: Stack) -> None:
    assert stack.functions["sweeper"]["Timeout"] < 60
    rules = stack.of("AWS::Events::Rule").values()
    said = {rule["ScheduleExpression"]: json.loads(rule["Targets"][0]["Input"]) for rule in rules}
    assert said == {"rate(1 minute)": {"every": 60}, "rate(1 hour)": {"every": 3600}}


@pytest.mark.parametrize("function", HTTP)
def test_the_gateway_calls_the_published_version(stack: Stack, function: str) -> None:
    assert stack.routes(function)
    alias = stack.of("AWS::Lambda::Alias")[f"{function.capitalize()}FunctionAliaslive"]
    assert alias["Name"] == "live"
    assert stack.functions[function]["SnapStart"] == {
        "ApplyOn": {"Fn::If": ["WithSnapStart", "PublishedVersions", "None"]}
    }


@pytest.mark.parametrize("function", EVENTS)
def test_no_snapshots_where_nothing_calls_a_published_version(stack: Stack, function: str) -> None:
    assert "SnapStart" not in stack.functions[function]
    assert f"{function.capitalize()}FunctionAliaslive" not in stack.resources


def test_former_versions_do_not_stay_and_cost(stack: Stack) -> None:
    versions = [one for one in stack.resources.values() if one["Type"] == "AWS::Lambda::Version"]
    assert [one["DeletionPolicy"] for one in versions] == ["Delete"] * len(HTTP)


@pytest.mark.parametrize("function", [*HTTP, *EVENTS])
def test_a_function_is_told_only_what_settings_know(stack: Stack, function: str) -> None:
    names = {name for name in variables(stack, function) if not name.startswith(LIBRARIES)}
    assert names <= KNOWN
    assert variables(stack, function)["AUTH"] == "required"


@pytest.mark.parametrize("function", [*HTTP, *EVENTS])
def test_secrets_go_by_reference_and_only_where_they_are_needed(
    source: dict[str, Any], stack: Stack, function: str
) -> None:
    told = variables(stack, function)
    assert {"OPENAI_API_KEY", "PINECONE_API_KEY", "JWT_SECRET"} & set(told) == SECRETS[function]
    for name in SECRETS[function]:
        secret = "TokenSecret" if name == "JWT_SECRET" else "VendorSecret"
        assert told[name] == {"Fn::Sub": f"secretsmanager:${{{secret}.Id}}#{name}"}
    hidden = {name for name, one in source["Parameters"].items() if one.get("NoEcho")}
    assert hidden == {"OpenAIApiKey", "PineconeApiKey"}
    assert not [name for name in hidden if name in json.dumps(stack.functions[function])]


@pytest.mark.parametrize("function", [*HTTP, *EVENTS])
def test_a_function_may_read_the_secrets_that_it_is_told_of(stack: Stack, function: str) -> None:
    secret = "TokenSecret" if function == "authorizer" else "VendorSecret"
    wanted = [({"secretsmanager:GetSecretValue"}, [{"Fn::GetAtt": [secret, "Id"]}])]
    granted = allowed(stack, function, "secretsmanager")
    assert granted == (wanted if SECRETS[function] else [])


@pytest.mark.parametrize("function", [*HTTP, *EVENTS])
def test_a_function_may_use_the_tables_as_it_must(stack: Stack, function: str) -> None:
    granted = {
        resource["Fn::GetAtt"][0]: actions
        for actions, (resource,) in allowed(stack, function, "dynamodb")
    }
    items, fleeting = TABLES[function]
    assert granted.get("ItemsTable", set()) == items
    assert granted.get("FleetingTable", set()) == fleeting


@pytest.mark.parametrize("function", [*HTTP, *EVENTS])
def test_a_function_may_use_bucket_and_queues_as_it_must(stack: Stack, function: str) -> None:
    assert allowed(stack, function, "s3") == IN_BUCKET.get(function, [])
    assert allowed(stack, function, "sqs") == IN_QUEUES.get(function, [])


@pytest.mark.parametrize("function", [*HTTP, *EVENTS])
def test_a_function_is_told_of_bucket_and_queues_where_it_may_use_them(
    stack: Stack, function: str
) -> None:
    told = variables(stack, function)
    names = {"UPLOADS_BUCKET": "Uploads", "QUEUE_URL": "Queue", "DEAD_QUEUE_URL": "DeadQueue"}
    assert set(names) & set(told) == TOLD.get(function, set())
    assert all(told[name] == {"Ref": names[name]} for name in TOLD.get(function, ()))


@pytest.mark.parametrize(
    "name", ["LONGEST_TEXT", "LONGEST_UPLOAD", "LARGEST_FILE", "STORAGE_QUOTA"]
)
def test_who_tells_a_limit_is_told_the_same_as_who_keeps_it(stack: Stack, name: str) -> None:
    told = variables(stack, "jobs")[name]
    assert told == {"Ref": name.title().replace("_", "")}
    keepers = [one for one in ("ingest", "worker") if name in variables(stack, one)]
    assert keepers
    assert all(variables(stack, one)[name] == told for one in keepers)


def test_every_function_has_a_role_of_its_own_without_borrowed_policies(stack: Stack) -> None:
    roles = {stack.role_of(function) for function in (*HTTP, *EVENTS)}
    assert roles == set(stack.of("AWS::IAM::Role"))
    assert len(roles) == len(HTTP + EVENTS)
    for role in stack.of("AWS::IAM::Role").values():
        assert "ManagedPolicyArns" not in role
        (trust,) = role["AssumeRolePolicyDocument"]["Statement"]
        assert trust["Principal"] == {"Service": "lambda.amazonaws.com"}
    assert not stack.of("AWS::IAM::Policy")
    assert not stack.of("AWS::IAM::ManagedPolicy")


def test_no_policy_allows_a_star(stack: Stack) -> None:
    for role, statement in stack.statements():
        assert statement["Effect"] == "Allow"
        assert not {"NotAction", "NotResource"} & set(statement), role
        actions = listed(statement["Action"])
        assert not [action for action in actions if "*" in action], role
        for resource in listed(statement["Resource"]):
            if resource == "*":  # X-Ray knows no narrower one
                assert {action.split(":")[0] for action in actions} == {"xray"}, role
            else:
                assert isinstance(resource, dict), role
                text = json.dumps(resource)
                assert "*" not in text or resource in below(UPLOADS, INCOMING, JOBS), role


@pytest.mark.parametrize("function", [*HTTP, *EVENTS])
def test_a_function_writes_to_its_own_log_only(stack: Stack, function: str) -> None:
    group = stack.functions[function]["LoggingConfig"]["LogGroup"]["Ref"]
    assert allowed(stack, function, "logs") == [
        ({"logs:CreateLogStream", "logs:PutLogEvents"}, [{"Fn::GetAtt": [group, "Arn"]}])
    ]


def test_only_our_gateway_may_call_the_functions(stack: Stack) -> None:
    for name, permission in stack.of("AWS::Lambda::Permission").items():
        assert permission["Principal"] in ("apigateway.amazonaws.com", "events.amazonaws.com")
        assert permission["SourceArn"], name


@pytest.mark.parametrize("api", APIS)
def test_the_gateway_names_the_limit_that_the_functions_keep(stack: Stack, api: str) -> None:
    answer = stack.api(api)["x-amazon-apigateway-gateway-responses"]["REQUEST_TOO_LARGE"]
    assert str(LARGEST_BODY) in answer["responseTemplates"]["application/json"]
