"""How an item's fields become DynamoDB's attributes, and come back as what they were."""

from __future__ import annotations

from typing import Any, TypeAlias

import ormsgpack

from rag.ports import Key

Attribute: TypeAlias = dict[str, Any]
Attributes: TypeAlias = dict[str, Attribute]

PK, SK, EXPIRES = "pk", "sk", "expires"
PACKED = "packed"
NO_FIELD = "_none"  # no field has this attribute: `_none` would have `__none`


def key_attributes(key: Key) -> Attributes:
    """The two attributes that are the key."""
    return {PK: {"S": key.pk}, SK: {"S": key.sk}}


def row_of(key: Key, fields: Attributes, expires: int | None) -> Attributes:
    """A whole row, of fields that are encoded."""
    row = {name_of(field): attribute for field, attribute in fields.items()}
    if expires is not None:
        row[EXPIRES] = {"N": str(expires)}
    return row | key_attributes(key)


def key_of(row: Attributes) -> Key:
    """The key of a row."""
    return Key(row[PK]["S"], row[SK]["S"])


def expires_of(row: Attributes) -> int | None:
    """When a row counts as gone, in seconds since 1970."""
    return int(row[EXPIRES]["N"]) if EXPIRES in row else None


def name_of(field: str) -> str:
    """The attribute of a field: its own name, unless that is taken."""
    return f"_{field}" if field in ("", PK, SK, EXPIRES) or field.startswith("_") else field


def field_of(name: str) -> str:
    """The field that an attribute holds."""
    return name.removeprefix("_")


def fields_of(row: Attributes) -> Attributes:
    """The attributes that hold fields, by field."""
    return {
        field_of(name): attribute
        for name, attribute in row.items()
        if name not in (PK, SK, EXPIRES)
    }


def encode(value: Any) -> Attribute:
    """A value that DynamoDB can compare and count as it is; others packed, as SQLite has them."""
    match value:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": value}
        case str():
            return {"S": value}
        case int():
            return {"N": str(value)}
        case bytes():
            return {"B": value}
        case _:
            return {"M": {PACKED: {"B": ormsgpack.packb(value)}}}


def decode(attribute: Attribute) -> Any:
    """The value that was encoded."""
    ((kind, value),) = attribute.items()
    match kind:
        case "NULL":
            return None
        case "N":
            return int(value)
        case "M":
            return ormsgpack.unpackb(value[PACKED]["B"])
        case _:
            return value


def size(attribute: Attribute) -> int:
    """The bytes that count against the limit of an item, or a few more."""
    ((kind, value),) = attribute.items()
    match kind:
        case "S":
            return len(value.encode())
        case "B":
            return len(value)
        case "M":
            return 16 + sum(size(part) for part in value.values())
        case _:
            return 24
