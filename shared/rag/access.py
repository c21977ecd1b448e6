"""Who may see what: pure functions of the caller."""

from __future__ import annotations

from rag.model import DEFAULT_SOURCE, Condition, Principal, Where


def visible_sources(principal: Principal) -> frozenset[str]:  # noqa: ARG001
    """The data sources of the caller's org that the caller may query: all members, the default."""
    return frozenset({DEFAULT_SOURCE})


def within(principal: Principal, where: Where) -> Where:
    """The filter, narrowed to what the caller may see."""
    return (Condition("data_source", visible_sources(principal)), *where)
