"""The sweeper does what is due, and all of it."""

from __future__ import annotations

import pytest

from rag.errors import IndexUnavailable
from rag.footnote import Chore
from rag.runtime import functions
from tests.unit.functions.conftest import Call


def test_only_the_chores_of_this_rhythm_are_done(call: Call) -> None:
    done: list[str] = []
    functions.footnote().chores = (  # type: ignore[misc]
        Chore(60, lambda: done.append("minute")),
        Chore(3600, lambda: done.append("hour")),
    )
    assert call("sweeper", {"every": 60}) == {"done": 1}
    assert done == ["minute"]


def test_one_that_fails_keeps_no_other_from_being_done_and_is_told_of(call: Call) -> None:
    done: list[str] = []

    def fail() -> None:
        raise OSError("no such host")

    functions.footnote().chores = (  # type: ignore[misc]
        Chore(60, fail),
        Chore(60, lambda: done.append("second")),
    )
    with pytest.raises(OSError, match="no such host"):
        call("sweeper", {"every": 60})
    assert done == ["second"]


def test_the_applications_own_chores_run(call: Call) -> None:
    assert call("sweeper", {"every": 60})["done"] == 4
    assert call("sweeper", {"every": 3600})["done"] == 2


def test_an_index_that_does_not_answer_keeps_no_other_chore_from_being_done(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> None:
        raise IndexUnavailable("away")

    monkeypatch.setattr(functions.footnote().parts.index, "maker", away)
    assert call("sweeper", {"every": 3600})["done"] == 2
    with pytest.raises(IndexUnavailable):
        call("sweeper", {"every": 60})
