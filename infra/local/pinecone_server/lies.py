"""Answers that are well sent and wrong: what a broken vendor, or a proxy before it, could say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from infra.local.pinecone_server.plane import Body, Plane

Lie: TypeAlias = Callable[[Plane, Body], Body]  # of the true answer

STRANGERS = ["", "#", "nobody", "a.b#0", "a.b.c#0", "doc_0.0.0#0", "doc_0.0.-1#x", "é.🦀.7#0"]


def shape(_: Plane, true: Body) -> Body:
    """Every field has another type."""
    return {
        name: 7 if isinstance(value, dict | list | str) else "7" for name, value in true.items()
    }


def fields(_: Plane, true: Body) -> Body:
    """Nothing has any field."""
    if "matches" in true:
        return {"matches": [{} for _ in true["matches"]]}
    return {"vectors": {id: {"id": id} for id in true["vectors"]}} if "vectors" in true else {}


def nothing(_: Plane, true: Body) -> Body:
    """There are no results."""
    empty: dict[str, Any] = {"matches": [], "vectors": {}, "namespaces": {}}
    return {name: empty.get(name, value) for name, value in true.items()}


def strangers(plane: Plane, true: Body) -> Body:
    """The best hits, and all records, are of ids that nobody has stored."""
    if "matches" in true:
        unknown = [{"id": id, "score": 0.99, "values": []} for id in STRANGERS]
        return {**true, "matches": unknown + true["matches"]}
    if "vectors" in true:
        values = [1.0] + [0.0] * (plane.dimension - 1)
        extra = {id: {"id": id, "values": values, "metadata": {"_passages": 9}} for id in STRANGERS}
        return {**true, "vectors": extra | true["vectors"]}
    return true


def elsewhere(plane: Plane, true: Body) -> Body:
    """Hits are from every namespace, whatever the filter, and each is as good as can be."""
    if "matches" not in true:
        return true
    matches = [{"id": record["id"], "score": 0.999, "values": []} for record in plane.everything()]
    return {**true, "matches": matches}


def scores(_: Plane, true: Body) -> Body:
    """Values are beyond all reason."""
    if "matches" not in true:
        return true
    absurd = [1e300, -1e300, 12.5]
    return {
        **true,
        "matches": [
            {**match, "score": absurd[place % 3]} for place, match in enumerate(true["matches"])
        ],
    }


def nan(plane: Plane, true: Body) -> Body:
    """Values are no numbers."""
    if "matches" in true:
        return {**true, "matches": [{**one, "score": float("nan")} for one in true["matches"]]}
    return vectors(plane, true, float("nan"))


def vectors(plane: Plane, true: Body, more: float = 0.5) -> Body:
    """Vectors are longer than the index is wide, and so is the index."""
    if "vectors" in true:
        changed = {
            id: {**record, "values": [*record["values"][1:], more, more]}
            for id, record in true["vectors"].items()
        }
        return {**true, "vectors": changed}
    return {**true, "dimension": plane.dimension + 1} if "dimension" in true else true


def passages(_: Plane, true: Body) -> Body:
    """Entries have more records than could be."""
    changed = {
        id: {**record, "metadata": {**record.get("metadata", {}), "_passages": 10**12}}
        for id, record in true.get("vectors", {}).items()
    }
    return {**true, "vectors": changed} if changed else true


LIES: dict[str, Lie] = {
    lie.__name__: lie
    for lie in (
        shape, fields, nothing, strangers, elsewhere, scores, nan, vectors, passages
    )
}  # fmt: skip
