from __future__ import annotations

import threading

import pytest

from infra.local import sweeper


def test_it_sweeps_at_the_start_and_again_after_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeper, "EVERY_SECONDS", 0.01)
    swept, failures, enough = [], [], threading.Event()

    def broken() -> None:
        raise OSError("disk full")

    def fine() -> None:
        swept.append(1)
        if len(swept) == 3:
            enough.set()

    with sweeper.sweeping(broken, fine, failed=failures.append):
        assert enough.wait(10)
    assert len(failures) >= 3
    assert threading.active_count() == len(
        [one for one in threading.enumerate() if one.name != "sweeper"]
    )
