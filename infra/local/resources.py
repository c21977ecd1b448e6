"""What a stack has of DynamoDB, S3 and SQS. Making it again changes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import ClientError

from rag.adapters.aws.attributes import EXPIRES, PK, SK
from rag.adapters.aws.retry import code
from rag.ingest.uploads import PREFIX as UPLOADS
from rag.ingest.worker import MOST_ATTEMPTS
from rag.stores.tickets import PREFIX as INCOMING

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
    redrive = {"deadLetterTargetArn": _arn(sqs, dead_url), "maxReceiveCount": attempts}
    for queue, attributes in (
        (dead_url, {"MessageRetentionPeriod": str(DEAD_SECONDS)}),
        (url, {"VisibilityTimeout": str(HIDDEN_SECONDS), "RedrivePolicy": json.dumps(redrive)}),
    ):
        sqs.set_queue_attributes(QueueUrl=queue, Attributes=attributes)
    return url, dead_url


def send_notices(s3: Any, sqs: Any, bucket: str, url: str) -> None:
    """Have the bucket tell the queue of what people upload."""
    about = {
        UPLOADS: ["s3:ObjectCreated:*", "s3:ObjectRemoved:*"],
        INCOMING: ["s3:ObjectCreated:*"],
    }
    told = [
        {
            "QueueArn": _arn(sqs, url),
            "Events": events,
            "Filter": {"Key": {"FilterRules": [{"Name": "prefix", "Value": prefix}]}},
        }
        for prefix, events in about.items()
    ]
    s3.put_bucket_notification_configuration(
        Bucket=bucket, NotificationConfiguration={"QueueConfigurations": told}
    )


def _arn(sqs: Any, url: str) -> Any:
    told = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])
    return told["Attributes"]["QueueArn"]


@contextmanager
def _unless(there: str) -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        if code(error) != there:
            raise
