"""What waits in the folder for a worker is kept for a week, as a bucket's lifecycle has it."""

from __future__ import annotations

from rag.clock import Clock, ulid
from rag.ingest.intake import PREFIX as JOBS
from rag.ports import Objects
from rag.stores.tickets import PREFIX as INCOMING

KEPT_SECONDS = 7 * 24 * 3600
TIME = 10  # characters of a ULID that are its time


def expire(objects: Objects, clock: Clock) -> int:
    """Remove what is older, as its own name tells; returns how much that was."""
    removed = 0
    oldest = ulid(clock() - KEPT_SECONDS)[:TIME]
    for prefix in (JOBS, INCOMING):
        for key in objects.keys(prefix):
            _, _, name = key.split("/")[2].partition("_")
            if name[:TIME] < oldest:
                objects.delete(key)
                removed += 1
    return removed
