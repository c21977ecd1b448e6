from __future__ import annotations

from collections.abc import Callable

import pytest

from rag import usage
from rag.errors import NotFound


def test_what_is_counted_inside_is_counted_outside_too() -> None:
    with usage.counted() as day:
        usage.count(searches=1)
        with usage.counted() as request:
            usage.count(questions=1, abstained=0)
        usage.count(searches=1)
    assert (request, day) == ({"questions": 1}, {"questions": 1, "searches": 2})


def test_also_where_it_fails() -> None:
    def fail() -> None:
        with usage.counted(), usage.counting_failures():
            raise NotFound("Gone.")

    assert _failing(fail) == {"failed": 1}


def _failing(work: Callable[[], None]) -> dict[str, int]:
    with usage.counted() as used, pytest.raises(NotFound):
        work()
    return dict(used)


def test_where_nobody_counts_nothing_is_counted() -> None:
    usage.count(searches=1)
    with usage.counted() as used:
        pass
    assert used == {}


def test_whatever_has_no_name_of_its_own_are_tokens() -> None:
    used = {"questions": 1, "unsupported": 2, "prompt_tokens": 40, "embedding_tokens": 2}
    assert usage.tokens(used) == 42
