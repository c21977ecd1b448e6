"""What is special about items in DynamoDB: its half answers, its reasons, its large values."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.stub import ANY, Stubber

from rag.adapters.aws import parts
from rag.adapters.aws.attributes import encode, key_attributes
from rag.adapters.aws.items import DynamoItems
from rag.errors import ConditionFailed, Unavailable
from rag.ports import Absent, Delete, Equals, Key, Put, Update
from tests.conftest import Clock

A, B = Key("P", "A"), Key("P", "B")


@pytest.fixture
def scripted(dynamodb: Any, script: Stubber, clock: Clock, pauses: list[float]) -> DynamoItems:
    """Items on a DynamoDB that answers by the script."""
    return DynamoItems(dynamodb, "t", clock)


def row(key: Key) -> dict[str, Any]:
    return {**key_attributes(key), "v": encode(key.sk)}


def test_keys_that_were_left_over_are_asked_for_again(
    scripted: DynamoItems, script: Stubber, pauses: list[float]
) -> None:
    left = {"t": {"Keys": [key_attributes(B)], "ConsistentRead": True}}
    first = {"Responses": {"t": [row(A)]}, "UnprocessedKeys": left}
    script.add_response("batch_get_item", first)
    script.add_response("batch_get_item", {"Responses": {"t": [row(B)]}}, {"RequestItems": left})
    assert scripted.get_many([A, B]) == {A: {"v": "A"}, B: {"v": "B"}}
    assert len(pauses) == 1


def test_writes_that_were_left_over_are_sent_again(
    scripted: DynamoItems, script: Stubber, pauses: list[float]
) -> None:
    left = {"t": [{"DeleteRequest": {"Key": key_attributes(B)}}]}
    script.add_response("batch_write_item", {"UnprocessedItems": left})
    script.add_response("batch_write_item", {"UnprocessedItems": {}}, {"RequestItems": left})
    scripted.write_many([Put(A, {"v": "A"}), Delete(B)])
    assert len(pauses) == 1


def cancel(script: Stubber, *reasons: str) -> None:
    script.add_client_error(
        "transact_write_items",
        "TransactionCanceledException",
        modeled_fields={"CancellationReasons": [{"Code": reason} for reason in reasons]},
    )


def test_conditions_that_failed_are_named_by_their_positions(
    scripted: DynamoItems, script: Stubber, pauses: list[float]
) -> None:
    cancel(script, "None", "ConditionalCheckFailed", "ConditionalCheckFailed")
    with pytest.raises(ConditionFailed) as refused:
        scripted.write(
            Put(A, {}), Put(B, {}, when=Absent()), Delete(Key("P", "C"), when=Equals("v", 1))
        )
    assert refused.value.failed == (1, 2)
    assert pauses == []


@pytest.mark.parametrize("reason", ["TransactionConflict", "ThrottlingError"])
def test_a_transaction_that_met_another_is_sent_again(
    scripted: DynamoItems, script: Stubber, reason: str
) -> None:
    cancel(script, reason, "ConditionalCheckFailed")
    script.add_response("transact_write_items", {})
    scripted.write(Put(A, {}), Put(B, {}, when=Absent()))


def test_a_transaction_that_cannot_be_is_not_sent_again(
    scripted: DynamoItems, script: Stubber, pauses: list[float]
) -> None:
    cancel(script, "ValidationError", "None")
    with pytest.raises(Unavailable):
        scripted.write(Put(A, {}), Put(B, {}))
    assert pauses == []


def test_a_transaction_whose_answer_was_lost_happens_once(
    scripted: DynamoItems, script: Stubber, dynamodb: Any
) -> None:
    tokens: list[str] = []

    def note(params: dict[str, Any], **_: Any) -> None:
        tokens.append(params["ClientRequestToken"])

    dynamodb.meta.events.register("provide-client-params.dynamodb.TransactWriteItems", note)
    script.add_client_error("transact_write_items", "InternalServerError", http_status_code=500)
    script.add_response("transact_write_items", {})
    scripted.write(Update(A, add={"n": 1}), Update(B, add={"n": 1}))
    dynamodb.meta.events.unregister("provide-client-params.dynamodb.TransactWriteItems", note)
    assert len(tokens) == 2
    assert len(set(tokens)) == 1


def test_a_counter_whose_answer_was_lost_is_not_counted_twice(
    scripted: DynamoItems, script: Stubber
) -> None:
    script.add_client_error("update_item", "InternalServerError", http_status_code=500)
    with pytest.raises(Unavailable):
        scripted.write(Update(A, add={"n": 1}))


def test_a_plain_put_whose_answer_was_lost_is_sent_again(
    scripted: DynamoItems, script: Stubber
) -> None:
    script.add_client_error("put_item", "InternalServerError", http_status_code=500)
    script.add_response("put_item", {}, {"TableName": "t", "Item": ANY})
    scripted.write(Put(A, {"v": 1}))


LARGE = {"text": "x" * 1_000_000}


def stored(table: tuple[Any, str]) -> int:
    client, name = table
    pages = client.get_paginator("scan").paginate(TableName=name, Select="COUNT")
    return sum(page["Count"] for page in pages)


def test_a_crash_before_the_item_leaves_nothing_to_be_seen_and_is_swept_later(
    dynamo_items: DynamoItems,
    dynamodb_table: tuple[Any, str],
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(DynamoItems, "_send", crash)
        with pytest.raises(KeyboardInterrupt):
            dynamo_items.write(Put(A, LARGE))
    assert dynamo_items.query("P") == []
    assert stored(dynamodb_table) == 4
    assert dynamo_items.purge() == 0
    clock.now += parts.UNFINISHED_SECONDS + 1
    assert dynamo_items.purge() == 1
    assert stored(dynamodb_table) == 0


def crash(*_: object) -> None:
    raise KeyboardInterrupt


def test_sweeping_takes_what_was_replaced_and_leaves_what_is_held(
    dynamo_items: DynamoItems, dynamodb_table: tuple[Any, str], clock: Clock
) -> None:
    dynamo_items.write(Put(A, LARGE), Put(B, LARGE))
    dynamo_items.write(Put(A, {"text": "small"}))
    clock.now += parts.UNFINISHED_SECONDS + 1
    assert dynamo_items.purge() == 1
    assert stored(dynamodb_table) == 2 + 4
    assert dynamo_items.query("P") == [("A", {"text": "small"}), ("B", LARGE)]


def test_a_reader_of_an_item_that_is_replaced_meanwhile_sees_the_new_one(
    dynamo_items: DynamoItems, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    dynamo_items.write(Put(A, LARGE))
    new = {"text": "y" * 1_000_000}
    load = parts.Parts.load

    def replace_first(self: parts.Parts, addresses: Any) -> Any:
        monkeypatch.setattr(parts.Parts, "load", load)
        clock.now += parts.UNFINISHED_SECONDS + 1
        dynamo_items.write(Put(A, new))
        assert dynamo_items.purge() == 1
        return load(self, addresses)

    monkeypatch.setattr(parts.Parts, "load", replace_first)
    assert dynamo_items.query("P") == [("A", new)]
