"""What each function's role allows, tried as that role on the emulator, which enforces it."""

from __future__ import annotations

import io
import json
import secrets
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.stack.conftest import Running

pytestmark = pytest.mark.integration

# Does one call for each of the event's, and says what came of it.
PROBE = """
import boto3
from botocore.exceptions import ClientError

def lambda_handler(event, context):
    return [attempt(*call) for call in event]

def attempt(service, operation, parameters):
    try:
        getattr(boto3.client(service), operation)(**parameters)
    except ClientError as error:
        return error.response["Error"]["Code"]
    return "done"
"""
DENIED = ("AccessDenied", "AccessDeniedException")


def calls(running: Running) -> dict[str, list[Any]]:
    """What a function may want to do, by our name for it."""
    settings, outputs = running.settings, running.stack.deployed.outputs
    key = {"pk": {"S": "PROBE"}, "sk": {"S": secrets.token_hex(4)}}
    items, fleeting = settings["ITEMS_TABLE"], settings["FLEETING_TABLE"]
    bucket = settings["UPLOADS_BUCKET"]
    queue, dead = settings["QUEUE_URL"], settings["DEAD_QUEUE_URL"]
    return {
        "read items": ["dynamodb", "get_item", {"TableName": items, "Key": key}],
        "write items": ["dynamodb", "put_item", {"TableName": items, "Item": key}],
        "delete items": ["dynamodb", "delete_item", {"TableName": items, "Key": key}],
        "scan items": ["dynamodb", "scan", {"TableName": items}],
        "drop items": ["dynamodb", "delete_table", {"TableName": items}],
        "write fleeting": ["dynamodb", "put_item", {"TableName": fleeting, "Item": key}],
        "read uploads": ["s3", "list_objects_v2", {"Bucket": bucket, "Prefix": "uploads/x"}],
        "write uploads": ["s3", "put_object", {"Bucket": bucket, "Key": "uploads/x", "Body": "x"}],
        "send": ["sqs", "send_message", {"QueueUrl": queue, "MessageBody": "{}"}],
        "read dead": ["sqs", "receive_message", {"QueueUrl": dead}],
        "vendors' keys": _secret(outputs["VendorSecretId"]),
        "token's secret": _secret(outputs["TokenSecretId"]),
        "read parameters": ["ssm", "get_parameter", {"Name": "/probe"}],
    }  # fmt: skip


def _secret(id: str) -> list[Any]:
    return ["secretsmanager", "get_secret_value", {"SecretId": id}]


READS = {"read items"}
WRITES = {"read items", "write items", "delete items"}
ALLOWED = {
    "Authorizer": READS | {"token's secret"},
    "Jobs": READS,
    "Sources": WRITES,
    "Search": READS | {"write fleeting", "vendors' keys"},
    "Chat": WRITES | {"write fleeting", "vendors' keys"},
    "Ingest": WRITES | {"vendors' keys"},
    "Worker": WRITES | {"read uploads", "vendors' keys"},
    "Sweeper": WRITES | {"write fleeting", "vendors' keys"},
}


@pytest.fixture
def probe(running: Running, request: pytest.FixtureRequest) -> Iterator[str]:
    """A function that has another's role."""
    functions, stack = running.aws("lambda"), running.stack.deployed
    original = stack.resource(f"{request.param}Function")
    about = functions.get_function_configuration(FunctionName=original)
    code = io.BytesIO()
    with zipfile.ZipFile(code, "w") as archive:
        archive.writestr("probe.py", PROBE)
    name = f"probe-{secrets.token_hex(4)}"
    functions.create_function(
        FunctionName=name,
        Role=about["Role"],
        Runtime=about["Runtime"],
        Handler="probe.lambda_handler",
        Timeout=60,
        Code={"ZipFile": code.getvalue()},
        Layers=[layer["Arn"] for layer in about["Layers"]],
    )
    yield name
    functions.delete_function(FunctionName=name)


@pytest.mark.parametrize(("probe", "allowed"), ALLOWED.items(), indirect=["probe"], ids=ALLOWED)
def test_a_role_allows_what_its_function_needs_and_no_more(
    running: Running, probe: str, allowed: set[str]
) -> None:
    wanted = calls(running)
    results = running.stack.deployed.invoke(probe, list(wanted.values()))
    told = dict(zip(wanted, results, strict=True))
    assert {name for name, result in told.items() if result == "done"} == allowed, told
    assert {result for result in results if result != "done"} <= set(DENIED), told


@pytest.mark.parametrize("every", [60, 3600])
def test_the_sweeper_does_its_chores(running: Running, every: int) -> None:
    stack = running.stack.deployed
    done = stack.invoke(stack.resource("SweeperFunction"), {"every": every})
    assert done["done"] >= 1, json.dumps(done)
