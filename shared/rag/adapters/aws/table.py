"""A DynamoDB table's rows: single, in batches and by query, until all of it is done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from rag.adapters.aws.attributes import PK, SK, Attributes, key_attributes, key_of
from rag.adapters.aws.retry import Busy, patiently
from rag.ports import Key

# DynamoDB's limits on one request.
READS = 100
WRITES = 25


class Table:
    """Rows under `pk` and `sk`. Every read sees every write that was answered before it."""

    def __init__(self, client: Any, name: str) -> None:
        self.client = client
        self.name = name

    def get(self, key: Key) -> Attributes | None:
        """One row."""
        answer = patiently(
            lambda: self.client.get_item(
                TableName=self.name, Key=key_attributes(key), ConsistentRead=True
            )
        )
        row: Attributes | None = answer.get("Item")
        return row

    def get_many(self, keys: Iterable[Key]) -> dict[Key, Attributes]:
        """Those of the rows that are there."""
        found: dict[Key, Attributes] = {}
        remaining = iter(dict.fromkeys(keys))
        while batch := [key_attributes(key) for key in islice(remaining, READS)]:
            for row in self._read(batch):
                found[key_of(row)] = row
        return found

    def write_many(self, rows: Iterable[tuple[Key, Attributes | None]]) -> None:
        """Put these rows, and delete those that are None. The last word on a key counts."""
        remaining = iter(rows)
        # A request may name a key once.
        while batch := dict(islice(remaining, WRITES)):
            self._write([_request(key, row) for key, row in batch.items()])

    def query(
        self,
        pk: str,
        prefix: str = "",
        *,
        start: str = "",
        page: int | None = None,
        descending: bool = False,
    ) -> Iterator[Attributes]:
        """Rows in the order of `sk`, beyond `start`, page by page as they are asked for."""
        request: dict[str, Any] = {
            "TableName": self.name,
            "KeyConditionExpression": "#pk = :pk",
            "ExpressionAttributeNames": {"#pk": PK},
            "ExpressionAttributeValues": {":pk": {"S": pk}},
            "ScanIndexForward": not descending,
            "ConsistentRead": True,
        }
        if prefix:
            request["KeyConditionExpression"] += " AND begins_with(#sk, :prefix)"
            request["ExpressionAttributeNames"]["#sk"] = SK
            request["ExpressionAttributeValues"][":prefix"] = {"S": prefix}
        if start:
            request["ExclusiveStartKey"] = key_attributes(Key(pk, start))
        if page:
            request["Limit"] = page
        while True:
            answer = patiently(lambda: self.client.query(**request))
            yield from answer["Items"]
            if "LastEvaluatedKey" not in answer:
                return
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def _read(self, keys: list[Attributes]) -> list[Attributes]:
        rows: list[Attributes] = []
        pending = {self.name: {"Keys": keys, "ConsistentRead": True}}

        def read() -> None:
            nonlocal pending
            answer = self.client.batch_get_item(RequestItems=pending)
            rows.extend(answer["Responses"].get(self.name, []))
            pending = answer.get("UnprocessedKeys")
            if pending:
                raise Busy(f"{len(pending[self.name]['Keys'])} keys are left")

        patiently(read)
        return rows

    def _write(self, requests: list[dict[str, Any]]) -> None:
        pending = {self.name: requests}

        def write() -> None:
            nonlocal pending
            pending = self.client.batch_write_item(RequestItems=pending).get("UnprocessedItems")
            if pending:
                raise Busy(f"{len(pending[self.name])} writes are left")

        patiently(write)


def _request(key: Key, row: Attributes | None) -> dict[str, Any]:
    if row is None:
        return {"DeleteRequest": {"Key": key_attributes(key)}}
    return {"PutRequest": {"Item": row}}
