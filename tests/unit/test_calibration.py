from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rag.adapters.calibrations import MINILM

VALUES = st.floats(-2, 5)


@given(VALUES, VALUES, st.integers(0, 10**7))
def test_a_higher_value_never_has_a_lower_score_and_all_lie_between_0_and_1(
    one: float, other: float, total: int
) -> None:
    for scale in (MINILM.fused, MINILM.reranked):
        low, high = sorted((one, other))
        assert 0 <= scale.score(low, total) <= scale.score(high, total) <= 1


@given(VALUES, st.floats(0, 1), st.floats(-1, 1), st.integers(0, 40))
def test_more_of_anything_never_makes_less(
    cosine: float, words: float, close: float, terms: int
) -> None:
    value = MINILM.joined(cosine, words, close, terms)
    assert value <= MINILM.joined(cosine + 0.1, words, close, terms)
    assert value <= MINILM.joined(cosine, words + 0.1, close, terms)
    assert value <= MINILM.joined(cosine, words, close + 0.1, terms)


def test_closeness_counts_less_in_a_question_of_many_terms() -> None:
    def gain(terms: int) -> float:
        return MINILM.joined(0.6, 0.4, 0.9, terms) - MINILM.joined(0.6, 0.4, 0.1, terms)

    assert gain(1) == gain(4) > gain(8) > gain(20) > 0


def test_words_count_less_where_closeness_has_read_them_too() -> None:
    def gain(terms: int) -> float:
        return MINILM.joined(0.6, 0.9, 0.5, terms) - MINILM.joined(0.6, 0.1, 0.5, terms)

    assert gain(1) == gain(4) < gain(8) < gain(20)
