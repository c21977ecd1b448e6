"""`Queue` on SQS, whose redrive policy moves what fails too often to the dead-letter queue."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from botocore.exceptions import ClientError

from rag.adapters.aws.retry import code, patiently
from rag.ports import Delivery

# SQS's limits.
MOST_MESSAGES = 10
LONGEST_DELAY = 900
LONGEST_HIDDEN = 43_200

LATE = frozenset({"InvalidParameterValue", "MessageNotInflight", "ReceiptHandleIsInvalid"})


class SqsQueue:
    """A standard queue, by its URL."""

    def __init__(self, client: Any, url: str) -> None:
        self._client = client
        self._url = url

    def send(self, body: Mapping[str, Any], *, delay: int = 0) -> None:
        text = json.dumps(body, ensure_ascii=False)
        patiently(
            lambda: self._client.send_message(
                QueueUrl=self._url, MessageBody=text, DelaySeconds=min(delay, LONGEST_DELAY)
            )
        )

    def receive(self, limit: int = MOST_MESSAGES, *, seconds: int) -> list[Delivery]:
        answer = patiently(
            lambda: self._client.receive_message(
                QueueUrl=self._url,
                MaxNumberOfMessages=min(limit, MOST_MESSAGES),
                VisibilityTimeout=min(seconds, LONGEST_HIDDEN),
                MessageSystemAttributeNames=["ApproximateReceiveCount"],
            )
        )
        return [_delivery(message) for message in answer.get("Messages", [])]

    def done(self, delivery: Delivery) -> None:
        _unless_late(
            lambda: self._client.delete_message(QueueUrl=self._url, ReceiptHandle=delivery.receipt)
        )

    def again(self, delivery: Delivery, *, delay: int = 0) -> None:
        _unless_late(
            lambda: self._client.change_message_visibility(
                QueueUrl=self._url,
                ReceiptHandle=delivery.receipt,
                VisibilityTimeout=min(delay, LONGEST_HIDDEN),
            )
        )


def _unless_late(call: Callable[[], object]) -> None:
    """Do it, unless the message has come to somebody else since, or is gone."""

    def attempt() -> None:
        try:
            call()
        except ClientError as error:
            if code(error).rpartition(".")[2] not in LATE:
                raise

    patiently(attempt)


def _delivery(message: dict[str, Any]) -> Delivery:
    return Delivery(
        id=message["MessageId"],
        body=json.loads(message["Body"]),
        attempt=int(message["Attributes"]["ApproximateReceiveCount"]),
        receipt=message["ReceiptHandle"],
    )
