"""Our filters in the vendor's words."""

from __future__ import annotations

from typing import Any, TypeAlias

from rag.model import Where

Filter: TypeAlias = dict[str, Any]


def translate(where: Where, *more: Filter) -> Filter | None:
    """All conditions at once, or None where there are none."""
    parts = [{one.field: {"$in": sorted(one.values)}} for one in where] + list(more)
    return {"$and": parts} if len(parts) > 1 else parts[0] if parts else None


def admits_nothing(where: Where) -> bool:
    """Whether no entry can pass: the vendor refuses an empty `$in`."""
    return any(not condition.values for condition in where)
