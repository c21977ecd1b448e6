"""A worker that is driven by hand: it does what is due, and stops."""

from __future__ import annotations

from rag.footnote import Footnote
from rag.ingest.worker import TryAgain
from rag.ports import Delivery


def work(footnote: Footnote) -> list[Delivery]:
    """Work on what is due; returns what will come again."""
    again = []
    while deliveries := footnote.parts.queue.receive(seconds=60):
        for delivery in deliveries:
            try:
                footnote.worker.work(delivery)
            except TryAgain:
                again.append(delivery)
                continue
            footnote.parts.queue.done(delivery)
    return again
