from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rag.adapters.openai.batches import FEWEST_TEXTS, MOST_TEXTS, MOST_TOKENS, batches


@given(st.lists(st.integers(1, 8191), max_size=300), st.integers(1, 8))
def test_all_texts_are_sent_once_in_order_within_the_vendors_limits(
    lengths: list[int], lanes: int
) -> None:
    cut = list(batches(lengths, lanes))
    assert [at for batch in cut for at in batch] == list(range(len(lengths)))
    for batch in cut:
        assert 0 < len(batch) <= MOST_TEXTS
        assert sum(lengths[at] for at in batch) <= MOST_TOKENS


def test_few_texts_are_one_request_and_more_give_every_lane_some() -> None:
    assert list(batches([1] * FEWEST_TEXTS, 4)) == [range(FEWEST_TEXTS)]
    assert [len(batch) for batch in batches([1] * 64, 4)] == [16] * 4
    assert [len(batch) for batch in batches([1] * 10_000, 2)] == [2048] * 4 + [1808]


def test_long_texts_are_spread_by_their_tokens() -> None:
    assert [len(batch) for batch in batches([8000] * 40, 1)] == [31, 9]
