"""`Queue` on SQS, whose redrive policy moves what fails too often to the dead-letter queue."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from botocore.exceptions import ClientError

from rag.adapters.aws.retry import Busy, code, patiently
from rag.ports import Delivery

# SQS's limits.
MOST_MESSAGES = 10
BATCH_BYTES = 262_144  # of all bodies together: since 2025 it takes four times as much
LONGEST_DELAY = 900
LONGEST_HIDDEN = 43_200

LATE = frozenset({"InvalidParameterValue", "MessageNotInflight", "ReceiptHandleIsInvalid"})


class SqsQueue:
    """A standard queue, by its URL. Messages that name their group make it a fair one."""

    def __init__(self, client: Any, url: str) -> None:
        self._client = client
        self._url = url

    def send(self, *bodies: Mapping[str, Any], group: str = "", delay: int = 0) -> None:
        more: dict[str, Any] = {"DelaySeconds": min(delay, LONGEST_DELAY)}
        if group:
            more["MessageGroupId"] = group
        texts = (json.dumps(body, ensure_ascii=False) for body in bodies)
        for batch in _batches(texts):
            self._send(
                [
                    {"Id": str(number), "MessageBody": text, **more}
                    for number, text in enumerate(batch)
                ]
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

    def _send(self, entries: list[dict[str, Any]]) -> None:
        pending = entries

        def send() -> None:
            nonlocal pending
            answer = self._client.send_message_batch(QueueUrl=self._url, Entries=pending)
            failed = {one["Id"] for one in answer.get("Failed", [])}
            pending = [one for one in pending if one["Id"] in failed]
            if pending:
                raise Busy(f"{len(pending)} messages are left: {answer['Failed']}")

        patiently(send)


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """As many at once as SQS takes."""
    batch: list[str] = []
    room = BATCH_BYTES
    for text in texts:
        size = len(text.encode())
        if batch and (size > room or len(batch) == MOST_MESSAGES):
            yield batch
            batch, room = [], BATCH_BYTES
        batch.append(text)
        room -= size
    if batch:
        yield batch


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
