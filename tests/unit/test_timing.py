from __future__ import annotations

import pytest

from rag import timing
from rag.errors import DeadlineExceeded


def test_stages_add_up_under_their_names() -> None:
    with timing.measured() as stages:
        with timing.stage("a"):
            pass
        with timing.stage("b"), timing.stage("a"):
            pass
    assert set(stages) == {"a", "b"}
    assert all(milliseconds >= 0 for milliseconds in stages.values())


def test_without_a_limit_time_is_endless() -> None:
    assert timing.remaining() is None
    timing.check()


def test_a_stage_does_not_begin_after_the_deadline() -> None:
    now = [0.0]
    with timing.time_limit(10, clock=lambda: now[0]):
        now[0] = 9.0
        assert timing.remaining() == 1.0
        with timing.stage("in time"):
            now[0] = 10.0
        with pytest.raises(DeadlineExceeded), timing.stage("too late"):
            pytest.fail("it began")
    assert timing.remaining() is None
