"""Entries as the vendor's records: one for each passage, the words with the first."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar
from urllib.parse import quote

import numpy as np

from rag.adapters.pinecone import words
from rag.model import Entry, FieldValue, Vector

Record: TypeAlias = dict[str, Any]
One = TypeVar("One")

# Only the first record of an entry has this field: how many records there are.
PASSAGES = "_passages"

# What one request may carry; the bytes leave room for the envelope.
MOST_RECORDS = 1000
MOST_BYTES = 2_000_000
# Ids to fetch travel in the URL.
MOST_FETCHED = 100
MOST_URL_BYTES = 6_000


def namespace_of(namespace: str) -> str:
    """The namespace in printable ASCII, as the vendor wants it."""
    return quote(namespace, safe=" @:+=,~!()'")


def record_ids(entry: str, passages: int) -> list[str]:
    """The ids of an entry's records."""
    return [f"{entry}#{number}" for number in range(passages)]


def entry_of(record: str) -> str:
    """The entry that a record belongs to."""
    return record.rpartition("#")[0]


def of_entry(entry: Entry) -> list[Record]:
    """The records of an entry, the first of which tells how many there are."""
    fields = _fields(entry.fields)
    ids = record_ids(entry.id, len(entry.vectors))
    records: list[Record] = [
        {"id": id, "values": numbers(vector), "metadata": fields}
        for id, vector in zip(ids, entry.vectors, strict=True)
    ]
    records[0]["metadata"] = {**fields, PASSAGES: len(records)}
    if sparse := words.of_entry(entry.terms):
        records[0]["sparse_values"] = sparse
    return records


def numbers(vector: Vector) -> list[float]:
    """The vector as the SDK takes it."""
    return [float(value) for value in np.asarray(vector, np.float32)]


def size(record: Record) -> int:
    """The bytes that a record takes in a request."""
    return len(json.dumps(record, ensure_ascii=False).encode()) + 1


def cut(
    things: Sequence[One], size_of: Callable[[One], int], most: int, most_bytes: int
) -> Iterator[list[One]]:
    """The things in order, in parts that hold to both limits; one too large goes alone."""
    part: list[One] = []
    filled = 0
    for thing in things:
        its = size_of(thing)
        if part and (len(part) == most or filled + its > most_bytes):
            yield part
            part, filled = [], 0
        part.append(thing)
        filled += its
    if part:
        yield part


def _fields(fields: Mapping[str, FieldValue]) -> dict[str, str | float | list[str]]:
    """No nulls, no nesting; an empty list says what absence says."""
    plain = {
        name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()
    }
    return {name: value for name, value in plain.items() if value != []}
