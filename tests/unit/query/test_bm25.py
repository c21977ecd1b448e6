from __future__ import annotations

import numpy as np

from rag.query import bm25


def test_a_rare_term_tells_more_than_a_frequent_one() -> None:
    assert bm25.idf("quark", 1, 1000) > bm25.idf("quark", 500, 1000) > 0


def test_in_a_tiny_corpus_everyday_words_still_tell_less() -> None:
    assert bm25.idf("time", 1, 3) < bm25.idf("quark", 1, 3)


def test_more_of_a_term_counts_more_but_ever_less_so_and_short_texts_count_more() -> None:
    counts = np.array([1, 2, 3, 1000], np.float32)
    values = bm25.saturation(counts, np.full(4, 100, np.float32), 100.0)
    steps = np.diff(values)
    assert (steps > 0).all()
    assert steps[0] > steps[1]
    assert values[-1] < bm25.MOST
    short, long = bm25.saturation(np.ones(2, np.float32), np.array([10, 400], np.float32), 100.0)
    assert short > long
