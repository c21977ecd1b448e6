"""Several processes on one folder: together they let in as many as one of them would."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rag.limits import PER_MINUTE
from tests.integration.conftest import Process, command
from tests.integration.test_races import at_once
from tests.wire.widget.visits import ask

PROCESSES = 4
BEYOND = 40


def credentials(data_dir: Path, tier: str) -> dict[str, str]:
    """Those of a visitor of this tier, who as an anonymous one has none."""
    if tier == "anonymous":
        return {}
    made = command(data_dir, "credentials", "token", "ann", "acme", tier, "", "")
    return {"Authorization": f"Bearer {made.stdout.strip()}"}


def test_the_limits_hold_over_all_processes_together(
    launch: Callable[..., Process], data_dir: Path
) -> None:
    servers = [launch() for _ in range(PROCESSES)]
    for tier, limit in PER_MINUTE.items():
        headers, callers = credentials(data_dir, tier), (limit or 100) + BEYOND
        begun = time.monotonic()
        answers = at_once(
            [partial(ask, servers[n % PROCESSES].http, headers) for n in range(callers)]
        )
        took = time.monotonic() - begun
        refused = [answer for answer in answers if answer.status_code == 429]
        assert {answer.status_code for answer in answers} - {429} == {200}
        if limit is None:
            assert not refused
        elif took < 60:  # else some may have come a second time
            assert len(refused) == BEYOND
            waits = [int(answer.headers["retry-after"]) for answer in refused]
            assert 60 - took <= min(waits) <= max(waits) <= 60
