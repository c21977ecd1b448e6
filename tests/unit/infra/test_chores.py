from __future__ import annotations

import threading

from infra.local.chores import chores
from rag.footnote import Chore


def test_chores_are_done_at_the_start_and_again_even_after_a_failure() -> None:
    done, failures, enough = [], [], threading.Event()

    def broken() -> None:
        raise OSError("disk full")

    def fine() -> None:
        done.append(1)
        if len(done) == 3:
            enough.set()

    often = [Chore(0.01, broken), Chore(0.01, fine)]
    with chores(often, failed=failures.append):
        assert enough.wait(10)
    assert len(failures) >= 3
    assert threading.active_count() == len(
        [one for one in threading.enumerate() if one.name != "chores"]
    )


def test_each_chore_has_its_own_pace() -> None:
    often, seldom, enough = [], [], threading.Event()

    def quick() -> None:
        often.append(1)
        if len(often) == 5:
            enough.set()

    todo = [Chore(3600, lambda: seldom.append(1)), Chore(0.001, quick)]
    with chores(todo, failed=lambda error: None):
        assert enough.wait(10)
    assert seldom == [1]
