from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rag.adapters.embedded.minilm import MiniLM
from rag.errors import EmbeddingFailed, IndexUnavailable
from rag.footnote import Footnote
from rag.ingest import turns
from rag.ingest.notices import notice
from rag.ingest.worker import FIRST_PAUSE
from rag.model import Change
from rag.runtime import worker
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings


class Context:
    """As much of an invocation's context as is read."""

    def __init__(self, seconds: float = 60) -> None:
        self._seconds = seconds

    def get_remaining_time_in_millis(self) -> int:
        return int(self._seconds * 1000)


class Picky(MiniLM):
    """An embedder that is away whenever it reads of toads."""

    def __init__(self, minilm: MiniLM) -> None:
        self.__dict__ = minilm.__dict__

    def embed(self, texts: Any) -> Any:
        if any("toad" in text for text in texts):
            raise EmbeddingFailed("away")
        return super().embed(texts)


@pytest.fixture
def footnote(tmp_path: Path, minilm: MiniLM, monkeypatch: pytest.MonkeyPatch) -> Footnote:
    footnote = bootstrap(Settings(data_dir=tmp_path), embedder=Picky(minilm))
    monkeypatch.setattr(worker, "footnote", lambda: footnote)
    return footnote


def record(id: str, body: str) -> dict[str, Any]:
    """A message as Lambda gets it of SQS."""
    return {
        "messageId": id,
        "receiptHandle": "1",
        "body": body,
        "attributes": {"ApproximateReceiveCount": "1"},
        "messageAttributes": {},
        "eventSource": "aws:sqs",
        "eventSourceARN": "arn:aws:sqs:eu-central-1:123456789012:ingest",
        "awsRegion": "eu-central-1",
    }


def uploaded(footnote: Footnote, name: str, text: str) -> str:
    key = f"uploads/local/default/{name}"
    footnote.parts.objects.put(key, text.encode())
    return json.dumps(turns.taken(notice(Change(key, 1_800_000_000.0, "01"))))


def test_only_what_must_come_again_is_named(footnote: Footnote) -> None:
    records = [
        record("1", uploaded(footnote, "newts.md", "Newts live in ponds.")),
        record("2", uploaded(footnote, "toads.md", "A toad lives in gardens.")),
        record("3", uploaded(footnote, "bad.gif", "GIF89a\0\0")),
        record("4", "not JSON"),
        record("5", json.dumps({"Event": "s3:TestEvent"})),
    ]
    answer = worker.work({"Records": records}, Context())
    assert answer == {"batchItemFailures": [{"itemIdentifier": "2"}]}
    assert [one.path for one in footnote.documents.all("local")] == ["/newts.md"]
    reasons = [one.body["reason"]["code"] for one in footnote.parts.dead.receive(seconds=0)]
    assert reasons == ["UNSUPPORTED_FORMAT", "INVALID"]


def test_a_batch_of_which_all_must_come_again_is_no_failed_invocation(footnote: Footnote) -> None:
    body = uploaded(footnote, "toads.md", "A toad lives in gardens.")
    answer = worker.work({"Records": [record("1", body)]}, Context())
    assert answer == {"batchItemFailures": [{"itemIdentifier": "1"}]}


def test_without_time_left_nothing_is_begun(footnote: Footnote) -> None:
    body = uploaded(footnote, "newts.md", "Newts live in ponds.")
    answer = worker.work({"Records": [record("1", body)]}, Context(seconds=5))
    assert answer == {"batchItemFailures": [{"itemIdentifier": "1"}]}
    assert list(footnote.documents.all("local")) == []


def test_a_message_comes_again_soon_where_the_worker_cannot_be_made(
    footnote: Footnote, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would come when its time in the queue is over, after half an hour."""
    queue = footnote.parts.queue
    queue.send(json.loads(uploaded(footnote, "newts.md", "Newts live in ponds.")))
    [delivery] = queue.receive(seconds=1800)
    message = record(delivery.id, json.dumps(delivery.body)) | {"receiptHandle": delivery.receipt}

    def away() -> None:
        raise IndexUnavailable("away")

    monkeypatch.setattr(footnote.parts.index, "maker", away)
    delays: list[int] = []
    monkeypatch.setattr(queue, "again", lambda _, delay: delays.append(delay))
    answer = worker.work({"Records": [message]}, Context())
    assert answer == {"batchItemFailures": [{"itemIdentifier": delivery.id}]}
    assert delays == [FIRST_PAUSE]
