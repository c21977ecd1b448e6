from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from rag.adapters.embedded.late_interaction import LateInteraction
from rag.adapters.embedded.minilm.embedder import MiniLM
from rag.answering import Evidence
from rag.model import Embedding, Excerpt
from rag.query.evidence import MOST_EXCERPTS, MOST_SENTENCES, evidence
from rag.query.lexical import LexicalReranker
from tests.excerpts import asked, excerpt

SEA = (
    "# The sea\n\nThe tide is the rise and fall of the sea. It is caused by the pull of the moon. "
    "Most coasts have two high tides a day.\n\n---\n\nFishing boats leave the harbour at dawn."
)
RUST = "Rust has a borrow checker. It was first released in 2015."


def by_states(minilm: MiniLM, question: str, excerpts: Sequence[Excerpt]) -> Evidence:
    return evidence(LateInteraction(), minilm.embed, asked(minilm, question), excerpts)


def by_words(minilm: MiniLM, question: str, excerpts: Sequence[Excerpt]) -> Evidence:
    return evidence(LexicalReranker(), None, asked(minilm, question), excerpts)


@pytest.fixture(scope="module")
def excerpts(minilm: MiniLM) -> list[Excerpt]:
    return [excerpt(minilm, "Rust", RUST), excerpt(minilm, "Tides", SEA)]


@pytest.mark.parametrize("way", [by_states, by_words])
@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("How many high tides are there in a day?", "Most coasts have two high tides a day."),
        ("When do fishing boats leave?", "Fishing boats leave the harbour at dawn."),
        ("What was first released in 2015?", "It was first released in 2015."),
    ],
)
def test_the_sentence_that_answers_is_first(
    minilm: MiniLM, excerpts: list[Excerpt], way: object, question: str, sentence: str
) -> None:
    assert callable(way)
    seen = way(minilm, question, excerpts)
    assert seen.sentences[0].text == sentence
    assert seen.by_states == (way is by_states)


@pytest.mark.parametrize("way", [by_states, by_words])
def test_they_are_in_order_and_stand_where_they_say(
    minilm: MiniLM, excerpts: list[Excerpt], way: object
) -> None:
    assert callable(way)
    seen = way(minilm, "tides of the moon", excerpts)
    values = [sentence.value for sentence in seen.sentences]
    assert values == sorted(values, reverse=True)
    for one in seen.sentences:
        assert excerpts[one.excerpt].text[one.span.start : one.span.end].strip() == one.text
        assert 0 <= one.own <= one.around <= 1


def test_neither_headings_nor_lines_without_a_word_are_quoted(
    minilm: MiniLM, excerpts: list[Excerpt]
) -> None:
    texts = [one.text for one in by_states(minilm, "What is the sea?", excerpts).sentences]
    assert "# The sea" not in texts
    assert "---" not in texts
    assert len(texts) == 6


NOTES = """# Garden

## Tomatoes

- The Black Krim did best this year.
- The yellow ones split after rain.

## Cats

Mishka was born in May 2019 and likes tuna.
"""


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Which tomato variety did best?", "- The Black Krim did best this year."),
        ("When was the cat born?", "Mishka was born in May 2019 and likes tuna."),
    ],
)
def test_a_heading_helps_what_stands_under_it(minilm: MiniLM, question: str, sentence: str) -> None:
    headed = excerpt(minilm, "Notes", NOTES)
    bare = excerpt(minilm, "Notes", NOTES.replace("## Tomatoes\n\n", "").replace("## Cats\n\n", ""))
    best, without = (by_states(minilm, question, [one]).sentences[0] for one in (headed, bare))
    assert best.text == sentence
    assert best.closeness > without.closeness


def test_only_the_best_are_embedded_and_nothing_without_a_model_at_hand(
    minilm: MiniLM, excerpts: list[Excerpt]
) -> None:
    calls: list[int] = []

    def embed(texts: Sequence[str]) -> list[Embedding]:
        calls.append(len(texts))
        return minilm.embed(texts)

    long = excerpt(minilm, "Long", " ".join(f"Wave {n} was high." for n in range(30)))
    question = asked(minilm, "How high was wave 7?")
    seen = evidence(LateInteraction(), embed, question, [long, *excerpts])
    assert calls == [MOST_SENTENCES] == [len(seen.sentences)]
    assert all(one.alone is not None for one in seen.sentences)
    bare = evidence(LateInteraction(), None, question, [long])
    assert all(one.alone is None for one in bare.sentences)


def test_without_word_states_the_words_tell(minilm: MiniLM, excerpts: list[Excerpt]) -> None:
    stateless = [replace(one, stored=replace(one.stored, states=())) for one in excerpts]
    seen = by_states(minilm, "When do fishing boats leave?", stateless)
    assert seen == by_words(minilm, "When do fishing boats leave?", excerpts)


def test_a_term_is_near_where_a_word_like_it_is_and_as_near_as_can_be_where_it_is(
    minilm: MiniLM, excerpts: list[Excerpt]
) -> None:
    near = by_states(minilm, "When do ships leave the sea of Mongolia?", excerpts).near
    assert near["leav"] == near["sea"] == 1.0
    assert near["ship"] > 0.6 > near["mongolia"]
    by_word = by_words(minilm, "When do ships leave?", excerpts).near
    assert by_word == {"ship": 0.0, "leav": 1.0}


def test_what_stands_in_the_header_of_a_table_is_there(minilm: MiniLM) -> None:
    row = excerpt(minilm, "Fees", "| Anna | 12 |", context="| Member | Price |")
    seen = by_words(minilm, "Which price does Anna pay?", [row])
    assert seen.near["price"] == seen.sentences[0].near["price"] == 1.0
    assert seen.near["pay"] == 0.0


def test_nothing_found_is_no_evidence(minilm: MiniLM) -> None:
    seen = by_states(minilm, "Why?", [])
    assert seen.sentences == ()
    assert by_states(minilm, "chess", []).near == {"chess": 0.0}


def test_what_is_far_down_is_not_looked_at(minilm: MiniLM, excerpts: list[Excerpt]) -> None:
    rust, sea = excerpts
    seen = by_states(minilm, "tides", [rust] * MOST_EXCERPTS + [sea])
    assert all(one.excerpt < MOST_EXCERPTS for one in seen.sentences)


@pytest.mark.parametrize("way", [by_states, by_words])
def test_a_question_in_a_document_is_not_its_answer_but_what_follows_is(
    minilm: MiniLM, way: object
) -> None:
    assert callable(way)
    text = (
        "**May I cancel?**\nYes, in the settings.\n\nYou keep access for a month.\n\n"
        "**Do you offer refunds?**\nWithin 14 days of purchase.\n\n"
        "**Which browsers do you support?**\nChrome and Firefox."
    )
    seen = way(minilm, "Do you offer refunds?", [excerpt(minilm, "Frequent questions", text)])
    assert seen.sentences[0].text == "Within 14 days of purchase."
    assert not any("?" in one.text for one in seen.sentences)


def test_a_word_in_another_form_is_there(minilm: MiniLM) -> None:
    text = "Flights are booked by the travel desk."
    seen = by_states(minilm, "Who books flights?", [excerpt(minilm, "Travel", text)])
    assert set(seen.sentences[0].near.values()) == {1.0}
