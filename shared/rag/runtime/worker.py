"""Messages of SQS, in batches: those that must come again are named, the others are done."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from aws_lambda_powertools.utilities.batch import (
    BatchProcessor,
    EventType,
    process_partial_response,
)
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from rag.errors import Unavailable
from rag.ingest.worker import TryAgain, pause
from rag.ports import Delivery
from rag.runtime.functions import footnote, telemetry
from rag.timing import time_limit

# What is left of an invocation to lay a message aside and to answer.
GRACE_SECONDS = 10.0


def work(event: dict[str, Any], context: Any) -> Any:
    """Work on a batch, within the time of this invocation."""
    # Raising where all have failed would have them come again at once, not after their pauses.
    processor = BatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False)
    with time_limit(context.get_remaining_time_in_millis() / 1000 - GRACE_SECONDS):
        return process_partial_response(event, _work_on, processor, context)


def _work_on(record: SQSRecord) -> None:
    delivery = _delivery(record)
    try:
        footnote().worker.work(delivery)
    except Exception as error:
        cause = error.__cause__ or error
        telemetry().warn(
            "message comes again",
            message_id=delivery.id,
            attempt=delivery.attempt,
            failure=type(cause).__name__,
        )
        if not isinstance(error, TryAgain):
            # The worker could not even be made: without a word, the queue would wait half an hour.
            with suppress(Unavailable):
                footnote().parts.queue.again(delivery, delay=pause(delivery))
        raise
    telemetry().tell("message done", message_id=delivery.id, attempt=delivery.attempt)


def _delivery(record: SQSRecord) -> Delivery:
    try:
        body = json.loads(record.body)
    except ValueError:
        body = None
    return Delivery(
        id=record.message_id,
        body=body if isinstance(body, dict) else {"text": record.body},
        attempt=int(record.attributes.approximate_receive_count),
        receipt=record.receipt_handle,
    )
