"""Waiting for what happens by itself."""

from __future__ import annotations

import time
from collections.abc import Callable

# Seconds. Far longer than anything takes: a test that waits for so long has failed.
PATIENCE = 300


def until(condition: Callable[[], bool]) -> None:
    """Wait for it."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)
