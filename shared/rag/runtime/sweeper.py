"""Chores by the schedule's event."""

from __future__ import annotations

from typing import Any

from rag.runtime.functions import footnote, telemetry


def sweep(event: dict[str, Any], _context: Any = None) -> dict[str, int]:
    """Do the chores of this rhythm. One that fails does not keep the others from being done; the
    invocation then fails, so that the alarm on it tells somebody."""
    failures: list[Exception] = []
    due = [chore for chore in footnote().chores if chore.every == event["every"]]
    for chore in due:
        try:
            chore.do()
        except Exception as error:
            telemetry().warn("chore failed", failure=type(error).__name__)
            failures.append(error)
    if failures:
        raise failures[0]
    return {"done": len(due)}
