"""What is special about a queue in SQS: its batches, what is left over of them, its groups."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.stub import ANY, Stubber

from infra.local.resources import make_queues
from rag.adapters.aws import queue as adapter
from rag.adapters.aws.clients import client
from rag.adapters.aws.queue import SqsQueue
from rag.adapters.aws.retry import TRIES
from rag.errors import Unavailable
from tests.conftest import Clients

URL = "https://sqs.eu-central-1.amazonaws.com/1/ingest"


@pytest.fixture(scope="session")
def sqs() -> Any:
    """A client that reaches nothing."""
    return client("sqs", region="eu-central-1")


@pytest.fixture
def script(sqs: Any, pauses: list[float]) -> Iterator[Stubber]:
    """What SQS is to answer, call by call; all of it must be asked for."""
    with Stubber(sqs) as script:
        yield script
        script.assert_no_pending_responses()


def entries(*bodies: Any, first: int = 0, **more: Any) -> list[dict[str, Any]]:
    texts = [json.dumps(body, ensure_ascii=False) for body in bodies]
    return [
        {"Id": str(number), "MessageBody": text, "DelaySeconds": 0, **more}
        for number, text in enumerate(texts, first)
    ]


def expect(script: Stubber, sent: Any, *failed: str) -> None:
    answer = {
        "Successful": [],
        "Failed": [{"Id": id, "SenderFault": False, "Code": "InternalError"} for id in failed],
    }
    script.add_response("send_message_batch", answer, {"QueueUrl": URL, "Entries": sent})


def test_messages_go_by_tens_and_say_whose_they_are(sqs: Any, script: Stubber) -> None:
    bodies = [{"n": number} for number in range(23)]
    for first in (0, 10, 20):
        expect(script, entries(*bodies[first : first + 10], MessageGroupId="acme"))
    SqsQueue(sqs, URL).send(*bodies, group="acme")


def test_messages_of_no_group_name_none(sqs: Any, script: Stubber) -> None:
    expect(script, entries({}))
    SqsQueue(sqs, URL).send({})


def test_what_is_left_over_is_sent_again_and_nothing_else(
    sqs: Any, script: Stubber, pauses: list[float]
) -> None:
    a, b, c = ({"n": name} for name in "abc")
    expect(script, entries(a, b, c), "1", "2")
    expect(script, entries(b, c, first=1), "2")
    expect(script, entries(c, first=2))
    SqsQueue(sqs, URL).send(a, b, c)
    assert len(pauses) == 2


def test_what_is_left_over_to_the_end_is_told(sqs: Any, script: Stubber) -> None:
    for _ in range(TRIES):
        expect(script, ANY, "0")
    with pytest.raises(Unavailable):
        SqsQueue(sqs, URL).send({})


def test_a_batch_is_no_larger_than_sqs_takes(
    sqs: Any, script: Stubber, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapter, "BATCH_BYTES", 20)
    short, full, long = {"n": 1}, {"n": "üüüüü"}, {"n": "more than one may have"}
    for batch in ([short, short], [short], [full], [short], [long], [short]):
        expect(script, entries(*batch))
    SqsQueue(sqs, URL).send(short, short, short, full, short, long, short)


def test_sqs_keeps_whose_a_message_is(aws: Clients) -> None:
    name = secrets.token_hex(4)
    url, _ = make_queues(aws("sqs"), name, f"{name}-dead")
    SqsQueue(aws("sqs"), url).send({}, {}, group="acme")
    SqsQueue(aws("sqs"), url).send({})
    found = aws("sqs").receive_message(
        QueueUrl=url, MaxNumberOfMessages=10, MessageSystemAttributeNames=["MessageGroupId"]
    )
    told = [one.get("Attributes", {}).get("MessageGroupId", "") for one in found["Messages"]]
    assert sorted(told) == ["", "acme", "acme"]
