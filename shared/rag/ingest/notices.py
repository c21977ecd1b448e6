"""Messages about objects, in the shape in which S3 sends them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote_plus, unquote_plus

from rag.clock import iso
from rag.errors import Invalid
from rag.model import Change

EVENTS = ("ObjectCreated:", "ObjectRemoved:")
# Which of the two it was does not matter: an event only says where to look.
LOOK = "ObjectCreated:Put"


def changes(body: Mapping[str, Any]) -> list[Change]:
    """What a message tells of. Raises Invalid for one that is no notice of S3."""
    if body.get("Event") == "s3:TestEvent":
        return []  # S3 tries out a new queue
    try:
        return [_change(record) for record in body["Records"]]
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise Invalid("message", "This is no notice of created or removed objects.") from error


def notice(change: Change) -> dict[str, Any]:
    """The message that tells of a change."""
    about = {"key": quote_plus(change.key, safe="/"), "sequencer": change.sequencer}
    return {
        "Records": [
            {"eventName": LOOK, "eventTime": iso(change.at), "s3": {"object": about}},
        ]
    }


def _change(record: Mapping[str, Any]) -> Change:
    if not record["eventName"].removeprefix("s3:").startswith(EVENTS):
        raise ValueError(record["eventName"])
    about = record["s3"]["object"]
    at = datetime.fromisoformat(record["eventTime"]).timestamp()
    return Change(unquote_plus(about["key"]), at, str(about.get("sequencer", "")))
