"""What a stack has of DynamoDB, S3 and SQS. Making it again changes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import ClientError

from rag.adapters.aws.attributes import EXPIRES, PK, SK
from rag.adapters.aws.retry import code
from rag.ingest.worker import MOST_ATTEMPTS

# Lambda wants a queue to hide a message for six times as long as its function may run.
HIDDEN_SECONDS = 1800
DEAD_SECONDS = 14 * 86_400  # as long as SQS keeps anything: somebody has to look at these


def make_table(dynamodb: Any, name: str) -> None:
    """A table of items."""
    with _unless("ResourceInUseException"):
        dynamodb.create_table(
            TableName=name,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[
                {"AttributeName": PK, "AttributeType": "S"},
                {"AttributeName": SK, "AttributeType": "S"},
            ],
            KeySchema=[
                {"AttributeName": PK, "KeyType": "HASH"},
                {"AttributeName": SK, "KeyType": "RANGE"},
            ],
        )
    about = dynamodb.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    if about["TimeToLiveStatus"] == "DISABLED":
        dynamodb.update_time_to_live(
            TableName=name,
            TimeToLiveSpecification={"Enabled": True, "AttributeName": EXPIRES},
        )


def make_bucket(s3: Any, name: str, region: str) -> None:
    """A bucket that keeps every version."""
    with _unless("BucketAlreadyOwnedByYou"):
        s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": region})
    s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})


def make_queues(sqs: Any, name: str, dead: str, attempts: int = MOST_ATTEMPTS) -> tuple[str, str]:
    """The addresses of a queue and of the one for what failed so often."""
    url, dead_url = (sqs.create_queue(QueueName=one)["QueueUrl"] for one in (name, dead))
    wanted = {"QueueUrl": dead_url, "AttributeNames": ["QueueArn"]}
    arn = sqs.get_queue_attributes(**wanted)["Attributes"]["QueueArn"]
    redrive = {"deadLetterTargetArn": arn, "maxReceiveCount": attempts}
    for queue, attributes in (
        (dead_url, {"MessageRetentionPeriod": str(DEAD_SECONDS)}),
        (url, {"VisibilityTimeout": str(HIDDEN_SECONDS), "RedrivePolicy": json.dumps(redrive)}),
    ):
        sqs.set_queue_attributes(QueueUrl=queue, Attributes=attributes)
    return url, dead_url


@contextmanager
def _unless(there: str) -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        if code(error) != there:
            raise
