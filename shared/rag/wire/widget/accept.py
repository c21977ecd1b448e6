"""Whether a caller wants events."""

from __future__ import annotations

from email.message import Message

EVENTS, JSON = "text/event-stream", "application/json"


def wants_events(accept: str) -> bool:
    """Whether events are asked for by name, and a whole answer is not liked better."""
    liked = dict(map(_range, accept.split(",")))
    return liked.get(EVENTS, 0.0) > 0 and liked[EVENTS] >= liked.get(JSON, 0.0)


def _range(text: str) -> tuple[str, float]:
    one = Message()
    one["Content-Type"] = text.strip()
    try:
        return one.get_content_type(), float(str(one.get_param("q", "1")))
    except ValueError:
        return one.get_content_type(), 0.0
