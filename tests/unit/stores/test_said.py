from __future__ import annotations

from rag.ports import Items
from rag.stores.said import KEPT_SECONDS, Saying, Sayings
from tests.conftest import Clock

SOURCE = {"id": "cit_1", "title": "T", "url": "/t", "excerpt": "…", "score": 0.5, "n": 1}


def test_an_answer_is_remembered_for_a_while(items: Items, clock: Clock) -> None:
    sayings = Sayings(items, clock)
    for one in (
        Saying("Newts sleep [1].", (SOURCE, SOURCE), "answer", "m"),
        Saying("The documents do not say.", (), "abstain", "extractive"),
    ):
        assert sayings.get(one.model) is None
        sayings.put(one.model, one)
        assert sayings.get(one.model) == one
    clock.now += KEPT_SECONDS + 1
    assert sayings.get("m") is None
