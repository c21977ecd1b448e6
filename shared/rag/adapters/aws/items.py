"""`Items` on DynamoDB: a field is an attribute, a large one is kept aside."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from botocore.exceptions import ClientError

from rag.adapters.aws.attributes import (
    EXPIRES,
    Attributes,
    decode,
    encode,
    expires_of,
    fields_of,
    key_attributes,
    key_of,
    row_of,
    size,
)
from rag.adapters.aws.expressions import Request
from rag.adapters.aws.parts import Parts, address
from rag.adapters.aws.retry import Busy, code, patiently
from rag.adapters.aws.table import Table
from rag.clock import Clock
from rag.errors import ConditionFailed, Unavailable
from rag.ports import Absent, Delete, Item, Key, Put, Update, Write

# An item may have 400 KB, a transaction 4 MB; names and what an update finds there count too.
ITEM_BYTES = 300_000
UPDATE_BYTES = 64_000
TRANSACTION_BYTES = 3_500_000
# How often an item is read again when it was replaced between its row and its parts.
LOOKS = 5

CONDITION_FAILED = "ConditionalCheckFailed"
PASSING = frozenset({"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"})


class DynamoItems:
    """Items in a table with the keys `pk` and `sk`; `expires` is its time-to-live attribute."""

    def __init__(self, client: Any, table: str, clock: Clock) -> None:
        self._client = client
        self._table = Table(client, table)
        self._parts = Parts(self._table, clock)
        self._clock = clock

    def get(self, key: Key) -> Item | None:
        row = self._table.get(key)
        return None if row is None else self._whole([row]).get(key)

    def get_many(self, keys: Iterable[Key]) -> dict[Key, Item]:
        return self._whole(self._table.get_many(keys).values())

    def query(
        self,
        pk: str,
        prefix: str = "",
        *,
        after: str = "",
        limit: int | None = None,
        descending: bool = False,
    ) -> list[tuple[str, Item]]:
        if after and not after.startswith(prefix):
            # DynamoDB refuses to start outside of the prefix.
            if (after < prefix) == descending:
                return []
            after = ""
        rows = self._table.query(pk, prefix, start=after, page=limit, descending=descending)
        there = list(islice(filter(self._current, rows), limit))
        whole = self._whole(there)
        keys = (key_of(row) for row in there)
        return [(key.sk, whole[key]) for key in keys if key in whole]

    def write(self, *writes: Write) -> None:
        if not writes:
            return
        room = TRANSACTION_BYTES // len(writes)
        requests = [
            Request(self._table.name, write, self._fields(write, room), self._clock())
            for write in writes
        ]
        while refused := self._send(writes, requests):
            failed = tuple(position for position in refused if not self._cleared(writes[position]))
            if failed:
                raise ConditionFailed(failed)

    write_lightly = write

    def write_many(self, writes: Iterable[Put | Delete]) -> None:
        self._table.write_many(self._rows(writes))

    def purge(self) -> int:
        """Remove large values that no item holds any more: once a day is enough."""
        return self._parts.purge()

    # Reading

    def _current(self, row: Attributes) -> bool:
        expires = expires_of(row)
        return expires is None or expires > self._clock()

    def _whole(self, rows: Iterable[Attributes], looks: int = LOOKS) -> dict[Key, Item]:
        """The items of those rows that have not expired, with what is kept aside."""
        found = {key_of(row): fields_of(row) for row in rows if self._current(row)}
        aside = {one for fields in found.values() for one in map(address, fields.values()) if one}
        values = self._parts.load(aside) if aside else {}
        whole: dict[Key, Item] = {}
        for key, fields in found.items():
            places = {field: address(fields[field]) for field in fields}
            if all(place is None or place in values for place in places.values()):
                whole[key] = {
                    field: values[place] if place else decode(fields[field])
                    for field, place in places.items()
                }
        if torn := found.keys() - whole.keys():
            if not looks:
                raise Unavailable("A stored item changes faster than it can be read; try again.")
            whole |= self._whole(self._table.get_many(torn).values(), looks - 1)
        return whole

    # Writing

    def _rows(self, writes: Iterable[Put | Delete]) -> Iterator[tuple[Key, Attributes | None]]:
        for write in writes:
            match write:
                case Put(key, _, _, expires):
                    yield key, row_of(key, self._fields(write, ITEM_BYTES), expires)
                case Delete(key):
                    yield key, None

    def _fields(self, write: Write, room: int) -> Attributes:
        """The fields that a write sets, the largest of them aside until the rest fits."""
        match write:
            case Put(key, item, _, expires):
                return self._fit(key, item, expires, min(room, ITEM_BYTES))
            case Update(key, changes):
                return self._fit(key, changes, None, min(room, UPDATE_BYTES))
            case Delete():
                return {}

    def _fit(self, key: Key, item: Mapping[str, Any], expires: int | None, room: int) -> Attributes:
        fields = {field: encode(value) for field, value in item.items()}
        sizes = {field: size(fields[field]) for field in fields}
        total = sum(sizes.values())
        for field in sorted(sizes, key=lambda name: -sizes[name]):
            if total <= room:
                break
            fields[field] = self._parts.store(key, field, item[field], expires)
            total -= sizes[field]
        return fields

    def _send(self, writes: tuple[Write, ...], requests: list[Request]) -> tuple[int, ...]:
        """Write all or nothing, and say which conditions did not hold."""
        if len(requests) == 1:
            return self._send_one(writes[0], requests[0])
        token = secrets.token_hex(16)  # a transaction sent twice under one token happens once

        def send() -> tuple[int, ...]:
            nonlocal token
            actions = [{request.kind: request.arguments} for request in requests]
            try:
                self._client.transact_write_items(TransactItems=actions, ClientRequestToken=token)
                return ()
            except ClientError as error:
                if code(error) != "TransactionCanceledException":
                    raise
                reasons = [one.get("Code") for one in error.response["CancellationReasons"]]
                if PASSING.intersection(reasons):
                    token = secrets.token_hex(16)
                    raise Busy(f"cancelled: {reasons}") from error
                if CONDITION_FAILED not in reasons:
                    raise
                return tuple(n for n, one in enumerate(reasons) if one == CONDITION_FAILED)

        return patiently(send)

    def _send_one(self, write: Write, request: Request) -> tuple[int, ...]:
        method = getattr(self._client, f"{request.kind.lower()}_item")
        counting = isinstance(write, Update) and bool(write.add)
        repeatable = write.when is None and not counting
        return () if _held(lambda: method(**request.arguments), repeatable=repeatable) else (0,)

    def _cleared(self, write: Write) -> bool:
        """Whether only what has expired was in the way of an update, and no longer is."""
        if not isinstance(write, Update) or not isinstance(write.when, Absent | None):
            return False
        removed = self._remove_expired(write.key)
        return removed or write.when is None

    def _remove_expired(self, key: Key) -> bool:
        return _held(
            lambda: self._client.delete_item(
                TableName=self._table.name,
                Key=key_attributes(key),
                ConditionExpression="#expires <= :now",
                ExpressionAttributeNames={"#expires": EXPIRES},
                ExpressionAttributeValues={":now": encode(int(self._clock()))},
            )
        )


def _held(call: Callable[[], object], *, repeatable: bool = True) -> bool:
    """Whether the condition of a single write held, and it was done."""

    def attempt() -> bool:
        try:
            call()
        except ClientError as error:
            if code(error) != "ConditionalCheckFailedException":
                raise
            return False
        return True

    return patiently(attempt, repeatable=repeatable)
