"""Call every function once: the emulator first unpacks the whole layer for each."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from infra.local.deployed import Deployed

# As the gateway asks for a path that no function knows.
NOWHERE: dict[str, Any] = {
    "resource": "/",
    "path": "/",
    "httpMethod": "GET",
    "headers": {},
    "multiValueHeaders": {},
    "requestContext": {},
    "body": None,
    "isBase64Encoded": False,
}
# As S3 tries out a new queue.
TEST: dict[str, Any] = {
    "messageId": "wake",
    "receiptHandle": "wake",
    "body": '{"Event": "s3:TestEvent"}',
    "attributes": {"ApproximateReceiveCount": "1"},
}


def wake(stack: Deployed) -> None:
    """Return when every function that somebody may wait for is up."""
    resources = stack.client("cloudformation").describe_stack_resources(StackName=stack.name)
    events = {
        one["PhysicalResourceId"]: NOWHERE
        for one in resources["StackResources"]
        if one["ResourceType"] == "AWS::Lambda::Alias"
    }
    events[stack.resource("WorkerFunction")] = {"Records": [TEST]}
    events[stack.resource("AuthorizerFunction")] = {}  # of somebody without credentials
    with ThreadPoolExecutor(max_workers=2) as pool:
        list(pool.map(stack.invoke, events, events.values()))
