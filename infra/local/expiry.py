"""What waits in the folder for a worker is kept for a week, as a bucket's lifecycle has it."""

from __future__ import annotations

import re

from rag.clock import Clock, ulid
from rag.ingest.intake import PREFIX as JOBS
from rag.ports import Objects
from rag.stores.tickets import PREFIX as INCOMING

KEPT_SECONDS = 7 * 24 * 3600
# <org>/<kind>_<ULID>, whose first ten characters are its time.
NAME = re.compile(r"[^/]+/[a-z]+_(?P<time>[0-9A-Z]{10})[0-9A-Z]{16}(/|$)")


def expire(objects: Objects, clock: Clock) -> int:
    """Remove what is older, as its own name tells; returns how much that was."""
    removed = 0
    oldest = ulid(clock() - KEPT_SECONDS)[:10]
    for prefix in (JOBS, INCOMING):
        for key in objects.keys(prefix):
            named = NAME.match(key.removeprefix(prefix))
            # Whatever else somebody has put there stays.
            if named and named["time"] < oldest:
                objects.delete(key)
                removed += 1
    return removed
