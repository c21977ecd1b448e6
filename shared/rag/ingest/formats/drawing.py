"""What Office files draw from words and numbers: charts and diagrams."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from rag.ingest.formats.block import Block, cells
from rag.ingest.formats.package import Package, Relation, whole

MOST_SERIES = 255  # of a chart, in Office itself

# Points of a diagram that are shown; the others say how it is laid out.
_SHOWN = ("node", "asst")


def drawn(element: Element, package: Package, relations: dict[str, Relation]) -> Iterator[Block]:
    """The blocks of a chart or a diagram, from the element that refers to its part: each is drawn
    once, so that no document is longer than all that is in it."""
    relation = relations.pop(element.get("r:id") or element.get("r:dm") or "", None)
    if relation is None:
        return
    if element.tag == "chart":
        yield from _chart(package.tree(relation.part))
    elif element.tag == "relIds":
        yield from _diagram(package.tree(relation.part))


def _chart(root: Element) -> Iterator[Block]:
    """The numbers behind a chart, as a table."""
    title = root.find("chart/title")
    if title is not None:
        yield Block("paragraph", _words(title))
    series = list(root.iter("ser"))[:MOST_SERIES]
    if not series:
        return
    categories: dict[int, str] = {}
    for one in series:
        categories = {**_points(one, "cat", "xVal"), **categories}
    values = [_points(one, "val", "yVal") for one in series]
    names = [_words(name) if (name := one.find("tx")) is not None else "" for one in series]
    yield Block("header", cells(["", *names]))
    for at in sorted(set().union(*values)):
        yield Block("row", cells([categories.get(at, ""), *(one.get(at, "") for one in values)]))


def _points(series: Element, *names: str) -> dict[int, str]:
    """The points of a series by their numbers: those that are empty are left out."""
    for name in names:
        found = series.find(name)
        if found is not None:
            return {whole(point.get("idx")): _words(point) for point in found.iter("pt")}
    return {}


def _diagram(root: Element) -> Iterator[Block]:
    for point in root.iter("pt"):
        if point.get("type", "node") in _SHOWN:
            yield Block("item", _words(point))


def _words(element: Element) -> str:
    found = (one.text or "" for one in element.iter() if one.tag in ("t", "v"))
    return " ".join(" ".join(found).split())
