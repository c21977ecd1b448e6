"""What the vendor refuses, in the vendor's words where they are known."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from infra.local.pinecone_server.faults import Refused

MOST_BYTES = 2 * 1024 * 1024
MOST_RECORDS = 1000
MOST_METADATA_BYTES = 40 * 1024
MOST_WORDS = 1000
LONGEST_ID = 512
MOST_HITS = 10_000


def check_record(record: Mapping[str, Any], dimension: int) -> None:
    """Raises Refused for a record that cannot be stored."""
    id, values = record.get("id"), record.get("values")
    if not isinstance(id, str) or not 1 <= len(id) <= LONGEST_ID or not id.isascii():
        raise Refused(400, f"Vector ID must be ASCII, of 1 to {LONGEST_ID} characters")
    check_dimension(values, dimension)
    if not any(values or ()):
        raise Refused(
            400,
            "Dense vectors must contain at least one non-zero value."
            f" Vector ID '{id}' contains only zeros",
        )
    check_sparse(record.get("sparseValues"))
    check_metadata(record.get("metadata") or {})


def check_dimension(values: Any, dimension: int) -> None:
    """Raises Refused for a vector of another length."""
    length = len(values) if isinstance(values, list) else 0
    if length != dimension:
        raise Refused(
            400,
            f"Vector dimension {length} does not match the dimension of the index {dimension}",
        )


def check_sparse(sparse: Any) -> None:
    """Raises Refused for a sparse vector that is none."""
    if sparse is None:
        return
    indices, values = sparse.get("indices", []), sparse.get("values", [])
    if not 1 <= len(indices) <= MOST_WORDS or len(indices) != len(values):
        raise Refused(400, f"Sparse vector must have 1 to {MOST_WORDS} indices and as many values")
    if len(set(indices)) < len(indices) or not all(0 <= one < 2**32 for one in indices):
        raise Refused(400, "Sparse vector indices must be unique unsigned 32-bit integers")


def check_metadata(metadata: Mapping[str, Any]) -> None:
    """Raises Refused for metadata that is too large, nested or null."""
    for name, value in metadata.items():
        plain = isinstance(value, str | int | float | bool)
        strings = isinstance(value, list) and all(isinstance(one, str) for one in value)
        if not plain and not strings:
            raise Refused(
                400,
                "Metadata value must be a string, number, boolean or list of strings,"
                f" got '{json.dumps(value)}' for field '{name}'",
            )
    size = len(json.dumps(metadata).encode())
    if size > MOST_METADATA_BYTES:
        raise Refused(
            400,
            f"Metadata size is {size} bytes, which exceeds the limit of"
            f" {MOST_METADATA_BYTES} bytes per vector",
        )


def check_top_k(top_k: Any) -> None:
    """Raises Refused for a number of hits that is out of range."""
    if not isinstance(top_k, int) or not 1 <= top_k <= MOST_HITS:
        raise Refused(400, f"top_k must be from 1 to {MOST_HITS}")
