from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rag.adapters.embedded.extractive import NOTHING, Extractive, best_sentences
from rag.adapters.embedded.late_interaction import LEXICAL, LateInteraction, read
from rag.adapters.embedded.minilm import MiniLM
from rag.errors import ModelNotConfigured, RerankFailed
from rag.footnote import Footnote
from rag.identity import LOCAL_OWNER
from rag.model import Ask, Draft, Embedding, Found, Message, Search
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings

SEA = (
    "The tide is the rise and fall of the sea. It is caused by the pull of the moon. "
    "Most coasts have two high tides a day.\n\nFishing boats leave the harbour at dawn."
)


@pytest.fixture(scope="module")
def footnote(minilm: MiniLM, tmp_path_factory: pytest.TempPathFactory) -> Footnote:
    footnote = bootstrap(Settings(data_dir=Path(tmp_path_factory.mktemp("data"))), embedder=minilm)
    footnote.ingestion.ingest("local", Draft("s", "/sea", "Tides", SEA))
    footnote.ingestion.ingest("local", Draft("s", "/copy", "Copy of tides", SEA))
    footnote.ingestion.ingest("local", Draft("s", "/rust", "Rust", "Rust has a borrow checker."))
    return footnote


def search(footnote: Footnote, query: str) -> Found:
    return footnote.querying.search(LOCAL_OWNER, Search(query))


def answer(found: Found | None) -> str:
    return Extractive().answer(Ask((Message("user", "?"),), found=found)).text


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("How many high tides are there in a day?", "Most coasts have two high tides a day."),
        ("When do fishing boats leave the harbour?", "Fishing boats leave the harbour at dawn."),
        ("What is the tide?", "The tide is the rise and fall of the sea."),
    ],
)
def test_the_sentence_that_answers_is_quoted_first(
    footnote: Footnote, question: str, sentence: str
) -> None:
    found = search(footnote, question)
    assert best_sentences(found)[0].text == sentence
    assert answer(found).startswith(f"“{sentence}” [1]\n")


def test_sources_are_numbered_and_the_same_sentence_is_said_once(footnote: Footnote) -> None:
    text = answer(search(footnote, "How many high tides are there in a day?"))
    assert text.count("Most coasts have two high tides a day.") == 1
    assert text.splitlines()[-1].startswith("[")


def test_quotes_stand_in_their_documents_word_for_word(footnote: Footnote) -> None:
    for quote in best_sentences(search(footnote, "tides and boats")):
        assert quote.text in quote.excerpt.text


def test_nothing_is_made_up_where_nothing_is_relevant(footnote: Footnote) -> None:
    assert answer(search(footnote, "Who won the chess championship of 1972?")) == NOTHING


def test_without_documents_it_says_what_to_configure() -> None:
    with pytest.raises(ModelNotConfigured, match="OPENAI_API_KEY"):
        answer(None)


def test_every_sentence_of_an_excerpt_is_read_and_the_title_helps_each(footnote: Footnote) -> None:
    found = search(footnote, "What causes tides?")
    reading = read(found.question, found.excerpts[:1])[0]
    assert [found.excerpts[0].text[span.start : span.end].strip() for span in reading.spans] == [
        "The tide is the rise and fall of the sea.",
        "It is caused by the pull of the moon.",
        "Most coasts have two high tides a day.",
        "Fishing boats leave the harbour at dawn.",
    ]
    assert (reading.titled >= reading.headed).all()
    assert reading.titled[1] > reading.headed[1] + 0.1


def test_texts_without_word_states_cannot_be_reranked(footnote: Footnote) -> None:
    found = search(footnote, "tides")
    bare = replace(found.question, embedding=Embedding(found.question.embedding.vector, None))
    with pytest.raises(RerankFailed):
        LateInteraction().rerank(bare, found.excerpts)
    assert LateInteraction().rerank(found.question, []) == []


def test_without_word_states_the_words_themselves_tell_which_sentence_answers(
    footnote: Footnote,
) -> None:
    found = search(footnote, "When do fishing boats leave the harbour?")
    vector = found.question.embedding.vector
    bare = replace(found, question=replace(found.question, embedding=Embedding(vector, None)))
    assert answer(bare).startswith("“Fishing boats leave the harbour at dawn.” [1]\n")


@pytest.mark.parametrize("query", ["the of and", "?", "日本", "moon " * 300])
def test_any_question_can_be_compared(footnote: Footnote, query: str) -> None:
    found = search(footnote, query)
    values = LateInteraction().rerank(found.question, found.excerpts)
    assert all(-1 <= value <= 1.001 + LEXICAL for value in values)


NOTES = """# Garden

## Tomatoes

- The Black Krim did best this year.
- The yellow ones split after rain.

## Cats

Mishka was born in May 2019 and likes tuna.
"""


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("Which tomato variety did best?", "The Black Krim did best this year."),
        ("When was the cat born?", "Mishka was born in May 2019 and likes tuna."),
    ],
)
def test_a_heading_helps_what_stands_under_it_but_is_no_answer(
    minilm: MiniLM, tmp_path: Path, question: str, quote: str
) -> None:
    footnote = bootstrap(Settings(data_dir=tmp_path), embedder=minilm)
    footnote.ingestion.ingest("local", Draft("s", "/notes", "Notes", NOTES))
    quotes = best_sentences(search(footnote, question))
    assert quotes[0].text == quote
    assert not any(one.text.startswith("#") for one in quotes)


def test_documents_of_the_same_title_are_told_apart(minilm: MiniLM, tmp_path: Path) -> None:
    footnote = bootstrap(Settings(data_dir=tmp_path), embedder=minilm)
    for number, text in enumerate(("Hotels cost 140 euros.", "Hotels cost 90 dollars.")):
        footnote.ingestion.ingest("local", Draft("s", str(number), "Travel", text))
    text = answer(search(footnote, "What do hotels cost?"))
    assert "[1] Travel" in text
    assert "[2] Travel" in text


def test_documents_without_word_states_are_quoted_by_their_words(footnote: Footnote) -> None:
    found = search(footnote, "How many high tides are there in a day?")
    bare = replace(found.question, embedding=Embedding(found.question.embedding.vector, None))
    quotes = best_sentences(replace(found, question=bare))
    assert quotes[0].text == "Most coasts have two high tides a day."
