"""Our filters in the vendor's words."""

from __future__ import annotations

from typing import Any, TypeAlias

from rag.model import Bound, Condition, Where

Filter: TypeAlias = dict[str, Any]


def translate(where: Where, *more: Filter) -> Filter | None:
    """All conditions at once, or None where there are none."""
    parts = [_part(one) for one in where if not _always_holds(one)] + list(more)
    return {"$and": parts} if len(parts) > 1 else parts[0] if parts else None


def admits_nothing(where: Where) -> bool:
    """Whether no entry can pass: the vendor refuses an empty `$in`."""
    return any(isinstance(one, Condition) and not one.values and not one.none for one in where)


def _always_holds(one: Condition | Bound) -> bool:
    """The vendor refuses an empty `$nin` too."""
    return isinstance(one, Condition) and not one.values and one.none


def _part(one: Condition | Bound) -> Filter:
    if isinstance(one, Bound):
        return {one.field: {f"${one.op}": one.value}}
    return {one.field: {"$nin" if one.none else "$in": sorted(one.values)}}
