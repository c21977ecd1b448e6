"""Word states find the passage that says what the question asks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rag.adapters.embedded.minilm import MiniLM
from rag.adapters.embedded.minilm.states import States, nearest, pack, unpack
from rag.model import Span

TEXT = "Who wrote it? The unbelievably proliferative Goethe wrote “Faust”, in 1808."


def states_of(minilm: MiniLM, text: str) -> States:
    return unpack(minilm.embed([text])[0].states or b"")


def similarities(query: States, words: States) -> NDArray[np.float32]:
    """Each word of the query with each of the others: every word a part of its own."""
    return nearest(query, [words], [np.arange(1, len(words) + 1)])[0]


def closeness(query: States, passage: States) -> float:
    """MaxSim: the mean, over the query's words, of the cosine of the nearest word."""
    return float(similarities(query, passage).max(axis=1).mean())


def test_states_are_of_content_words_with_their_places(minilm: MiniLM) -> None:
    words = states_of(minilm, TEXT)
    found = [TEXT[word["start"] : word["start"] + word["length"]] for word in words]
    expected = ["wrote", "unbelievably", "proliferative", "Goethe", "wrote", "Faust", "1808"]
    assert found == expected


def test_the_states_of_a_text_without_content_are_empty(minilm: MiniLM) -> None:
    assert len(states_of(minilm, "")) == len(states_of(minilm, "of the, and!")) == 0


def test_the_passage_that_answers_is_nearest(minilm: MiniLM) -> None:
    query = states_of(minilm, "How many people live in Paris?")
    passages = [
        "Bread is baked from flour, water, salt and yeast.",
        "The capital of France has 2.1 million inhabitants.",
        "People in London often live far from where they work.",
    ]
    scores = [closeness(query, states_of(minilm, text)) for text in passages]
    assert scores.index(max(scores)) == 1


def test_a_word_is_the_same_as_itself_and_the_opposite_of_its_opposite() -> None:
    states = np.random.default_rng(1).standard_normal((5, 384)).astype(np.float32)
    spans = [Span(at, at + 1) for at in range(5)]
    same, opposite = unpack(pack(states, spans)), unpack(pack(-states, spans))
    assert np.allclose(np.diag(similarities(same, same)), 1)
    assert np.allclose(np.diag(similarities(same, opposite)), -1)


def test_similarities_estimate_cosines() -> None:
    left, right = np.random.default_rng(2).standard_normal((2, 200, 384)).astype(np.float32)
    right += left
    lengths = np.linalg.norm(left, axis=1)[:, None] * np.linalg.norm(right, axis=1)
    spans = [Span(at, at + 1) for at in range(200)]
    estimates = similarities(unpack(pack(left, spans)), unpack(pack(right, spans)))
    errors = estimates - left @ right.T / lengths
    assert abs(errors.mean()) < 0.01
    assert errors.std() < 0.1


def test_no_words_have_no_similarities(minilm: MiniLM) -> None:
    nothing, words = unpack(b""), states_of(minilm, TEXT)
    assert similarities(words, nothing).shape == (len(words), 0)
    assert similarities(nothing, words).shape == (0, len(words))


def test_a_part_is_as_near_as_its_nearest_word_and_an_empty_one_is_farthest(minilm: MiniLM) -> None:
    query = states_of(minilm, "Who wrote Faust?")
    texts = [states_of(minilm, text) for text in (TEXT, "", "Bread needs flour and yeast.")]
    ends = [np.array([0, 2, 2, 7]), np.array([0]), np.array([1, 3])]
    found = nearest(query, texts, ends)
    assert [part.shape for part in found] == [(2, 4), (2, 1), (2, 2)]
    single = [similarities(query, text) for text in texts]
    np.testing.assert_array_equal(found[0][:, 1], single[0][:, :2].max(axis=1))
    np.testing.assert_array_equal(found[0][:, 3], single[0][:, 2:].max(axis=1))
    np.testing.assert_array_equal(found[2][:, 1], single[2][:, 1:].max(axis=1))
    assert (found[0][:, [0, 2]] == -1).all()
    assert (found[1] == -1).all()
    assert nearest(query, [], []) == []
