from __future__ import annotations

from dataclasses import replace

import numpy as np

from rag.model import Bound, ChunkRef, Condition, Embedding, Question, Search
from rag.ports import Items
from rag.stores.rankings import KEPT_SECONDS, Ranking, Rankings
from rag.terms import terms
from tests.conftest import Clock

SEARCH = Search("q", 5, 0.1, (Condition("data_source", frozenset({"a", "b"})),))


def test_a_ranking_is_remembered_for_a_while(items: Items, clock: Clock) -> None:
    rankings = Rankings(items, clock)
    key = rankings.key("o", 1, ("m",), SEARCH)
    assert rankings.get(key) is None
    embedding = Embedding(np.array([0.6, 0.8], np.float32), b"states")
    question = Question("Newts?", tuple(terms("Newts?")), {"newt": 2.0}, embedding, total=7)
    rankings.put(key, Ranking(question, [(ChunkRef("d", "v", 3), 0.5)], total=40))
    known = rankings.get(key)
    assert known is not None
    assert (known.refs, known.total) == ([(ChunkRef("d", "v", 3), 0.5)], 40)
    assert (known.question.terms, known.question.weights) == (question.terms, question.weights)
    assert (known.question.total, known.question.embedding.states) == (7, b"states")
    np.testing.assert_array_equal(known.question.embedding.vector, embedding.vector)
    clock.now += KEPT_SECONDS + 1
    assert rankings.get(key) is None


def test_whatever_an_answer_depends_on_is_in_its_key(items: Items, clock: Clock) -> None:
    rankings = Rankings(items, clock)
    keys = [
        rankings.key("o", 1, ("m",), SEARCH),
        rankings.key("p", 1, ("m",), SEARCH),
        rankings.key("o", 2, ("m",), SEARCH),
        rankings.key("o", 1, ("n",), SEARCH),
        *(
            rankings.key("o", 1, ("m",), replace(SEARCH, **change))  # type: ignore[arg-type]
            for change in (
                {"query": "r"}, {"top_k": 6}, {"min_score": 0.2}, {"rerank": False}, {"where": ()},
                {"where": (Condition("data_source", frozenset({"a"})),)},
                {"where": (Condition("data_source", frozenset({"a"}), none=True),)},
                {"where": (Bound("a", "gt", 1.0),)}, {"where": (Bound("a", "gte", 1.0),)},
                {"where": (Bound("a", "gt", 2.0),)}, {"where": (Bound("b", "gt", 1.0),)},
            )
        ),
    ]  # fmt: skip
    assert len(set(keys)) == len(keys)
    same = replace(SEARCH, where=(Condition("data_source", frozenset({"b", "a"})),))
    assert rankings.key("o", 1, ("m",), same) == keys[0]
    one, other = Bound("a", "gt", 1.0), Condition("b", frozenset({"x"}))
    assert rankings.key("o", 1, ("m",), replace(SEARCH, where=(one, other))) == rankings.key(
        "o", 1, ("m",), replace(SEARCH, where=(other, one))
    )
