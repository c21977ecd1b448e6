"""Who may see what: pure functions of the caller."""

from __future__ import annotations

from rag.model import DEFAULT_SOURCE, Condition, Document, Principal, Where


def visible_sources(principal: Principal) -> frozenset[str]:  # noqa: ARG001
    """The data sources of the caller's org that the caller may query: all members, the default."""
    return frozenset({DEFAULT_SOURCE})


def within(principal: Principal, where: Where) -> Where:
    """The filter, narrowed to what the caller may see."""
    return (Condition("data_source", visible_sources(principal)), *where)


def admits(where: Where, document: Document) -> bool:
    """Whether a document that an index found passes the filter: no index has the last word."""
    fields = {
        "document": {document.id},
        "data_source": {document.data_source},
        "source": {document.source},
        "tags": set(document.tags),
    }
    return all(not fields[one.field].isdisjoint(one.values) for one in where)
