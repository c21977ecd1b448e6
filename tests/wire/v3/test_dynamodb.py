"""v3 with DynamoDB in the slots of items, over HTTP: throttling, broken, gone, late or garbled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rag.adapters.aws import clients, retry
from tests.conftest import Clock, Server
from tests.dynamodb import DynamoDBServer
from tests.ordeal import COUNTED, NEW, PLAIN, ROUTES, SENT, WORKS, Ordeal, Parrot, check, many

# Nothing is known without the items; only plain chat gets as far as an answer, and cannot keep it.
DOWN = dict.fromkeys(ROUTES, PLAIN)

FAULTS: dict[str, dict[str, Any]] = {
    "throttling": {"kind": "error", "status": 400, "code": "ThrottlingException"},
    "a hot key": {
        "kind": "error", "status": 400, "code": "ProvisionedThroughputExceededException",
    },
    "broken": {"kind": "error", "status": 500, "code": "InternalServerError"},
    "expired credentials": {"kind": "error", "status": 400, "code": "ExpiredTokenException"},
    "no such table": {"kind": "error", "status": 400, "code": "ResourceNotFoundException"},
    "gone": {"kind": "drop"},
    "cut off": {"kind": "cut"},
    "not DynamoDB": {"kind": "malformed"},
}  # fmt: skip


@pytest.fixture
def ordeal(
    start: Callable[..., Server],
    dynamodb_server: DynamoDBServer,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> Ordeal:
    """A server that does not wait between its tries, so that tests are quick."""
    monkeypatch.setattr(retry, "sleep", lambda seconds: None)
    return Ordeal(start(dynamodb_server.settings, answerer=Parrot(), clock=clock))


@pytest.mark.parametrize("fault", FAULTS)
def test_without_the_items_everything_is_a_503_and_it_recovers(
    ordeal: Ordeal, dynamodb_server: DynamoDBServer, clock: Clock, fault: str
) -> None:
    ordeal.undergo(
        DOWN, lambda: dynamodb_server.misbehave(**FAULTS[fault]), dynamodb_server.misbehave
    )
    clock.now += 4000
    ordeal.server.footnote.ingestion.sweep()
    assert ordeal.litter() == set()


@pytest.mark.parametrize("fault", ["gone", "not DynamoDB"])
def test_without_the_cache_everything_works_for_those_who_are_not_counted(
    ordeal: Ordeal, dynamodb_server: DynamoDBServer, fault: str
) -> None:
    ordeal.undergo(
        {name: PLAIN if name in (*COUNTED, "usage") else WORKS for name in ROUTES},
        lambda: dynamodb_server.misbehave(**FAULTS[fault], about="fleeting"),
        dynamodb_server.misbehave,
    )


def test_without_the_fleeting_table_no_promise_is_made_about_repeated_requests(
    ordeal: Ordeal, dynamodb_server: DynamoDBServer
) -> None:
    before = ordeal.state()
    dynamodb_server.misbehave(**FAULTS["gone"], about="fleeting")
    headers = {"Idempotency-Key": "one"}
    answer = ordeal.server.http.post("/api/rag/ingest", json=many(SENT), headers=headers)
    dynamodb_server.misbehave()
    check("send", answer, PLAIN)
    assert ordeal.state() == before


@pytest.mark.parametrize("fault", ["throttling", "gone"])
def test_what_passes_is_waited_out(
    ordeal: Ordeal, dynamodb_server: DynamoDBServer, fault: str
) -> None:
    ordeal.undergo(
        dict.fromkeys(ROUTES, WORKS),
        lambda: dynamodb_server.misbehave(**FAULTS[fault], times=3),
        dynamodb_server.misbehave,
    )


@pytest.mark.parametrize("operation", ["BatchWriteItem", "TransactWriteItems", "PutItem"])
@pytest.mark.parametrize("fault", ["throttling", "gone"])
def test_a_write_that_is_refused_leaves_nothing_to_be_seen(
    ordeal: Ordeal, dynamodb_server: DynamoDBServer, clock: Clock, fault: str, operation: str
) -> None:
    for name in ("create", "replace", "send", "delete", "cancel", "upload", "chat", "go on"):
        before = ordeal.state()
        dynamodb_server.misbehave(**FAULTS[fault], about=operation)
        answer = ordeal.calls[name]()
        dynamodb_server.misbehave()
        assert answer.is_success or ordeal.state() == before
    clock.now += 4000
    ordeal.server.footnote.ingestion.sweep()
    assert ordeal.litter() == set()


@pytest.mark.parametrize("times", [1, None], ids=["once", "always"])
def test_a_write_whose_answer_is_lost_is_done_whole_or_not_at_all(
    ordeal: Ordeal, dynamodb_server: DynamoDBServer, clock: Clock, times: int | None
) -> None:
    for name in ("create", "replace", "send", "delete", "cancel", "go on"):
        dynamodb_server.misbehave(kind="lost", about="TransactWriteItems", times=times)
        answer = ordeal.calls[name]()
        dynamodb_server.misbehave()
        assert answer.status_code in (200, 202, 404, 503), answer.text
        again = ordeal.calls[name]()
        assert again.status_code in (200, 202, 404), again.text
    ordeal.check_all_is_well()
    clock.now += 4000
    for chore in ordeal.server.footnote.chores:
        chore.do()
    ordeal.check_all_is_well()
    assert ordeal.litter() == set()


def test_items_that_hang_are_left_in_time(
    ordeal: Ordeal, dynamodb_server: DynamoDBServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ROUTES:
        dynamodb_server.misbehave(slow=2)
        with monkeypatch.context() as impatient:
            impatient.setattr("rag.wire.route.SECONDS_PER_REQUEST", 0.3)
            impatient.setattr("rag.wire.route.GRACE_SECONDS", 0.1)
            answer = ordeal.calls[name]()
        dynamodb_server.misbehave()
        check(name, answer, PLAIN)
        assert ordeal.calls["list"]().status_code == 200


def test_a_cache_that_hangs_does_not_hold_up_a_search(
    start: Callable[..., Server], dynamodb_server: DynamoDBServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "READ_SECONDS", 1)
    http = start(dynamodb_server.settings, answerer=Parrot()).http
    assert http.post("/api/rag/ingest", json=NEW).is_success
    monkeypatch.setattr("rag.wire.route.SECONDS_PER_REQUEST", 5.0)
    dynamodb_server.misbehave(slow=30, about="fleeting")
    found = http.post("/api/rag/search", json={"query": "borrow"})
    assert found.status_code == 200, found.text
