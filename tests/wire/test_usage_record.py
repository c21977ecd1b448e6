"""When what requests have used is recorded, and for whom."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from rag import usage
from rag.model import Principal
from rag.wire import usage_record
from rag.wire.usage_record import UsageRecord

ANN = Principal("ann", "acme")


class Ledger:
    """Keeps what is recorded, once it is let."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, dict[str, int]]] = []
        self.open = threading.Event()
        self.open.set()
        self.asked = threading.Event()

    def add(self, org: str, used: Mapping[str, int]) -> None:
        self.asked.set()
        self.open.wait()
        self.rows.append((org, dict(used)))


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


async def answered(scope: Scope, receive: Receive, send: Send) -> None:
    usage.count(**scope["counts"])
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def ask(
    record: UsageRecord, state: dict[str, Any], sent: list[Message] | None = None, **counts: int
) -> None:
    """A request that counts so much."""

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        if sent is not None:
            sent.append(message)

    await record({"type": "http", "state": state, "counts": counts}, receive, send)


@pytest.mark.parametrize(
    ("state", "org"),
    [
        ({"principal": ANN}, "acme"),
        ({"principal": ANN, "org": "zeta"}, "zeta"),
        ({"principal": None, "org": "zeta"}, "zeta"),
    ],
)
def test_it_is_the_callers_orgs_or_that_of_the_site_that_was_asked(
    ledger: Ledger, state: dict[str, Any], org: str
) -> None:
    asyncio.run(ask(UsageRecord(answered, ledger.add), state, searches=1))
    assert ledger.rows == [(org, {"searches": 1})]


@pytest.mark.parametrize(
    ("state", "counts"),
    [({"principal": ANN}, {}), ({"principal": None}, {"searches": 1}), ({}, {"searches": 1})],
)
def test_of_nobody_and_of_nothing_there_is_nothing_to_record(
    ledger: Ledger, state: dict[str, Any], counts: dict[str, int]
) -> None:
    asyncio.run(ask(UsageRecord(answered, ledger.add), state, None, **counts))
    assert ledger.rows == []


def test_who_is_answered_while_one_records_is_recorded_together(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage_record, "ADD_SECONDS", 60)

    async def crowd() -> None:
        record = UsageRecord(answered, ledger.add)
        ledger.open.clear()
        first = asyncio.create_task(ask(record, {"principal": ANN}, searches=1))
        await asyncio.to_thread(ledger.asked.wait)
        for _ in range(3):
            await ask(record, {"principal": ANN}, searches=1, questions=2)
        await ask(record, {"org": "zeta"}, ingested=1)
        ledger.open.set()
        await first

    asyncio.run(crowd())
    assert ledger.rows[0] == ("acme", {"searches": 1})
    assert dict(ledger.rows[1:]) == {
        "acme": {"searches": 3, "questions": 6}, "zeta": {"ingested": 1}
    }  # fmt: skip
    assert len(ledger.rows) == 3


def test_a_table_that_hangs_is_left_and_the_answer_was_sent_before(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage_record, "ADD_SECONDS", 0.01)
    sent: list[Message] = []

    async def hang() -> None:
        ledger.open.clear()
        record = UsageRecord(answered, ledger.add)
        asking = asyncio.create_task(ask(record, {"principal": ANN}, sent, searches=1))
        await asyncio.to_thread(ledger.asked.wait)
        assert [message["type"] for message in sent] == [
            "http.response.start", "http.response.body"
        ]  # fmt: skip
        await asking
        ledger.open.set()

    asyncio.run(hang())
