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

ABSENT = "NoSuchKey"  # is said to who may read

def lambda_handler(event, context):
    return [attempt(*call) for call in event]

def attempt(service, operation, parameters):
    try:
        getattr(boto3.client(service), operation)(**parameters)
    except ClientError as error:
        code = error.response["Error"]["Code"]
        return "done" if code == ABSENT else code
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
    now = {"WaitTimeSeconds": 0, "VisibilityTimeout": 0}
    return {
        "read items": ["dynamodb", "get_item", {"TableName": items, "Key": key}],
        "write items": ["dynamodb", "put_item", {"TableName": items, "Item": key}],
        "delete items": ["dynamodb", "delete_item", {"TableName": items, "Key": key}],
        "scan items": ["dynamodb", "scan", {"TableName": items}],
        "change items": ["dynamodb", "update_item", {"TableName": items, "Key": key}],
        "drop items": ["dynamodb", "delete_table", {"TableName": items}],
        "read fleeting": ["dynamodb", "get_item", {"TableName": fleeting, "Key": key}],
        "write fleeting": ["dynamodb", "put_item", {"TableName": fleeting, "Item": key}],
        "change fleeting": ["dynamodb", "update_item", {"TableName": fleeting, "Key": key}],
        "query fleeting": ["dynamodb", "query", {
            "TableName": fleeting,
            "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": key["pk"]},
        }],
        "delete fleeting": ["dynamodb", "delete_item", {"TableName": fleeting, "Key": key}],
        "list bucket": ["s3", "list_objects_v2", {"Bucket": bucket, "Prefix": "uploads/x"}],
        **_objects(bucket, "uploads"),
        **_objects(bucket, "incoming"),
        **_objects(bucket, "jobs"),
        **_objects(bucket, "other"),
        # As S3 tries out a new queue: a worker does nothing about it.
        "send": ["sqs", "send_message_batch", {"QueueUrl": queue, "Entries": [
            {"Id": "1", "MessageBody": '{"Event": "s3:TestEvent"}'}
        ]}],
        "take": ["sqs", "receive_message", {**now, "QueueUrl": queue}],
        "read dead": ["sqs", "receive_message", {**now, "QueueUrl": dead}],
        "vendors' keys": _secret(outputs["VendorSecretId"]),
        "token's secret": _secret(outputs["TokenSecretId"]),
        "read parameters": ["ssm", "get_parameter", {"Name": "/probe"}],
    }  # fmt: skip


def _objects(bucket: str, prefix: str) -> dict[str, list[Any]]:
    place = {"Bucket": bucket, "Key": f"{prefix}/probe/{secrets.token_hex(4)}/x"}
    return {
        f"read {prefix}": ["s3", "get_object", place],
        f"write {prefix}": ["s3", "put_object", {**place, "Body": "x"}],
        f"delete {prefix}": ["s3", "delete_object", place],
    }


def _secret(id: str) -> list[Any]:
    return ["secretsmanager", "get_secret_value", {"SecretId": id}]


READS = {"read items"}
WRITES = {"read items", "write items", "change items", "delete items"}
FLEETING = {
    "read fleeting", "query fleeting", "write fleeting", "change fleeting", "delete fleeting"
}  # fmt: skip
ALLOWED = {
    "Authorizer": READS | {"token's secret"},
    "Jobs": READS | {"change items", "query fleeting"},
    "Sources": WRITES,
    "Search": READS | FLEETING | {"vendors' keys"},
    "Chat": WRITES | FLEETING | {"vendors' keys"},
    "Ingest": WRITES
    | {"read fleeting", "write fleeting", "change fleeting", "vendors' keys"}
    | {"write jobs", "write incoming", "read incoming", "list bucket", "send"},
    "Worker": WRITES
    | {"read uploads", "read incoming", "read jobs", "list bucket"}
    | {"change fleeting", "take", "send", "vendors' keys"},
    "Sweeper": WRITES | FLEETING | {"send", "vendors' keys"},
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
