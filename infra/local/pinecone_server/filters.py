"""Metadata filters: whether a record passes one."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from infra.local.pinecone_server.faults import Refused

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def passes(
    filter: Mapping[str, Any], metadata: Mapping[str, Any], *, absent_fails: bool = False
) -> bool:
    """Whether all parts of the filter hold.

    Of a field that a record lacks, the vendor's `$ne` and `$nin` have been seen to be false."""
    return all(_holds(key, wanted, metadata, absent_fails) for key, wanted in filter.items())


def _holds(key: str, wanted: Any, metadata: Mapping[str, Any], absent_fails: bool) -> bool:
    if key in ("$and", "$or"):
        if not isinstance(wanted, list) or not wanted:
            raise Refused(400, f"{key} must be a non-empty list of filters")
        inner = (passes(one, metadata, absent_fails=absent_fails) for one in wanted)
        return (all if key == "$and" else any)(inner)
    if key.startswith("$"):
        raise Refused(400, f"{key} is not a valid operator at this place")
    if not isinstance(wanted, dict):
        wanted = {"$eq": wanted}
    if absent_fails and key not in metadata and not wanted.keys().isdisjoint({"$ne", "$nin"}):
        return False
    return all(_compares(name, value, metadata.get(key)) for name, value in wanted.items())


def _compares(name: str, wanted: Any, stored: Any) -> bool:
    """A list has every one of its values."""
    values = stored if isinstance(stored, list) else [] if stored is None else [stored]
    if name == "$exists":
        return bool(values) is bool(wanted)
    if name == "$eq":
        return wanted in values
    if name == "$ne":
        return wanted not in values
    if name in ("$in", "$nin"):
        if not isinstance(wanted, list) or not wanted:
            raise Refused(400, f"{name} must be a non-empty list")
        return any(value in wanted for value in values) == (name == "$in")
    if name in _COMPARE:
        if isinstance(wanted, bool) or not isinstance(wanted, int | float):
            raise Refused(400, f"{name} must compare with a number")
        return any(
            _COMPARE[name](value, wanted) for value in values if isinstance(value, int | float)
        )
    raise Refused(400, f"{name} is not a valid operator")
