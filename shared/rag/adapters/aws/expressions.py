"""Writes as DynamoDB's requests: guards become conditions, changes become expressions."""

from __future__ import annotations

from typing import Any, assert_never

from rag.adapters.aws.attributes import (
    EXPIRES,
    NO_FIELD,
    PK,
    Attribute,
    Attributes,
    encode,
    key_attributes,
    name_of,
    row_of,
)
from rag.ports import Absent, Delete, Equals, Present, Put, Update, Write


class Request:
    """The arguments of one write, which single calls and transactions share."""

    def __init__(self, table: str, write: Write, fields: Attributes, now: float) -> None:
        self.kind = type(write).__name__
        self._names: dict[str, str] = {}
        self._values: Attributes = {}
        self._now = {"N": str(int(now))}
        self.arguments: dict[str, Any] = {"TableName": table}
        match write:
            case Put(key, _, _, expires):
                self.arguments["Item"] = row_of(key, fields, expires)
            case Update(key):
                self.arguments["Key"] = key_attributes(key)
                self.arguments["UpdateExpression"] = self._changes(write, fields)
            case Delete(key):
                self.arguments["Key"] = key_attributes(key)
            case _:
                assert_never(write)
        condition = self._condition(write)
        if condition:
            self.arguments["ConditionExpression"] = condition
        if self._names:
            self.arguments["ExpressionAttributeNames"] = self._names
        if self._values:
            self.arguments["ExpressionAttributeValues"] = self._values

    def _changes(self, update: Update, fields: Attributes) -> str:
        sets = [f"{self._name(name_of(field))} = {self._value(fields[field])}" for field in fields]
        adds = [
            f"{self._name(name_of(field))} {self._value(encode(amount))}"
            for field, amount in update.add.items()
        ]
        if update.expires is not None:
            sets.append(f"{self._name(EXPIRES)} = {self._value(encode(update.expires))}")
        if not sets and not adds:
            return f"REMOVE {self._name(NO_FIELD)}"  # an update must say something
        clauses = [("SET", sets), ("ADD", adds)]
        return " ".join(f"{verb} {', '.join(parts)}" for verb, parts in clauses if parts)

    def _condition(self, write: Write) -> str:
        # What has expired counts as gone, and DynamoDB removes it up to two days late. A put or a
        # delete may take its place, an update would revive its fields: that one has to wait.
        updating = isinstance(write, Update)
        match write.when:
            case None:
                return self._current() if updating else ""
            case Absent():
                pk = self._name(PK)
                absent = f"attribute_not_exists({pk})"
                return absent if updating else f"{absent} OR {self._expired()}"
            case Present():
                return self._present()
            case Equals(field, None):
                name = self._name(name_of(field))
                null = self._value(encode(None))
                return f"{self._present()} AND (attribute_not_exists({name}) OR {name} = {null})"
            case Equals(field, value):
                equal = f"{self._name(name_of(field))} = {self._value(encode(value))}"
                return f"{self._present()} AND {equal}"
            case _:
                assert_never(write.when)

    def _present(self) -> str:
        return f"attribute_exists({self._name(PK)}) AND ({self._current()})"

    def _current(self) -> str:
        expires = self._name(EXPIRES)
        return f"attribute_not_exists({expires}) OR {expires} > {self._value(self._now)}"

    def _expired(self) -> str:
        return f"{self._name(EXPIRES)} <= {self._value(self._now)}"

    def _name(self, name: str) -> str:
        """A stand-in: hundreds of plain words are reserved."""
        mark = f"#{len(self._names)}"
        self._names[mark] = name
        return mark

    def _value(self, attribute: Attribute) -> str:
        mark = f":{len(self._values)}"
        self._values[mark] = attribute
        return mark
