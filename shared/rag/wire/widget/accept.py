"""Whether a caller wants events."""

from __future__ import annotations

EVENTS, JSON = "text/event-stream", "application/json"


def wants_events(accept: str) -> bool:
    """Whether events are asked for by name, and a whole answer is not liked better."""
    liked = dict(map(_range, accept.split(",")))
    return liked.get(EVENTS, 0.0) > 0 and liked[EVENTS] >= liked.get(JSON, 0.0)


def _range(text: str) -> tuple[str, float]:
    kind, *parameters = (part.strip().lower() for part in text.split(";"))
    named = {name: value for name, _, value in (one.partition("=") for one in parameters)}
    try:
        return kind, float(named.get("q", "1"))
    except ValueError:
        return kind, 0.0
