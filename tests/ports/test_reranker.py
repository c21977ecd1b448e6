"""What every `Reranker` adapter holds to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from infra.local.pinecone_server import PineconeServer
from rag.adapters.embedded.late_interaction import LEXICAL, LateInteraction
from rag.adapters.embedded.minilm.embedder import MiniLM
from rag.adapters.pinecone import PineconeReranker
from rag.adapters.pinecone.connect import connect_inference
from rag.errors import RerankFailed
from rag.ingest.embed import header
from rag.model import (
    Chunk,
    ChunkRef,
    Document,
    Embedding,
    Excerpt,
    Question,
    Span,
    StoredChunk,
)
from rag.ports import Reranker
from rag.query.lexical import LexicalReranker
from rag.terms import terms
from rag.timing import time_limit

TEXTS = {
    "Kitchens": "Bread rises because yeast makes gas. An oven is hot.",
    "Boats": "The keel keeps a sailing boat upright. Sails catch the wind.",
    "Gardens": "Tomatoes want sun and water. Slugs eat lettuce at night.",
}


@pytest.fixture(params=["late interaction", "lexical", "pinecone"])
def reranker(request: pytest.FixtureRequest) -> Reranker:
    if request.param == "pinecone":
        return request.getfixturevalue("pinecone")  # type: ignore[no-any-return]
    return LexicalReranker() if request.param == "lexical" else LateInteraction()


@pytest.fixture
def pinecone(pinecone_server: PineconeServer) -> Iterator[PineconeReranker]:
    """The real SDK over HTTP."""
    inference = connect_inference(pinecone_server.api_key, pinecone_server.url)
    yield PineconeReranker(inference)
    inference.close()


def asked(minilm: MiniLM, text: str) -> Question:
    words = tuple(terms(text))
    weights = {term.text: 5.0 for term in words}
    return Question(text, words, weights, minilm.embed([text])[0], 1000)


def excerpt(minilm: MiniLM, title: str, text: str, context: str = "") -> Excerpt:
    states = minilm.embed([f"{header(title, context)}\n{text}"])[0].states
    stored = StoredChunk(
        Chunk(0, 0, len(text), text, context=context),
        (Span(0, len(text)),),
        (states,) if states else (),
    )
    document = Document("d", "v", "", "", "", "", "", title, (), {}, 1, "", "")
    return Excerpt(ChunkRef("d", "v", 0), document, stored, 0.5)


def test_the_excerpt_that_answers_has_the_highest_value(reranker: Reranker, minilm: MiniLM) -> None:
    excerpts = [excerpt(minilm, *one) for one in TEXTS.items()]
    for position, question in enumerate(
        ["Why does bread rise?", "What keeps a boat upright?", "What do slugs eat at night?"]
    ):
        values = reranker.rerank(asked(minilm, question), excerpts)
        assert len(values) == len(excerpts)
        assert int(np.argmax(values)) == position


def test_the_header_of_a_table_counts_for_its_rows(reranker: Reranker, minilm: MiniLM) -> None:
    rows = [
        excerpt(minilm, "Newts", "| smooth newt | 10 |", f"| animal | {measure} |")
        for measure in ("length", "temperature", "age")
    ]
    values = reranker.rerank(asked(minilm, "temperature of a smooth newt"), rows)
    assert int(np.argmax(values)) == 1


def test_the_sentence_that_answers_comes_closest(reranker: Reranker, minilm: MiniLM) -> None:
    excerpts = [excerpt(minilm, *one) for one in TEXTS.items()]
    question = asked(minilm, "What do slugs eat at night?")
    read = reranker.read(question, excerpts)
    assert [len(one.spans) for one in read] == [2, 2, 2]
    assert max((value, one.spans[at]) for one in read for at, value in enumerate(one.values))[
        1
    ] == (
        29,
        56,
    )
    for one, of in zip(read, excerpts, strict=True):
        assert "".join(of.text[start:end] for start, end in one.spans) == of.text
        assert len(one.spans) == len(one.values) == len(one.near)
    near = read[2].near[1]
    assert near.keys() == question.weights.keys()
    assert min(near.values()) > 0.6 > read[0].near[0]["slug"]


def test_the_title_and_the_heading_help_a_sentence_to_come_near(
    reranker: Reranker, minilm: MiniLM
) -> None:
    text = "# Lettuce\n\nSlugs eat it."
    [read] = reranker.read(asked(minilm, "Lettuce of gardens"), [excerpt(minilm, "Gardens", text)])
    assert min(read.near[1].values()) > 0.6


@pytest.mark.parametrize("text", ["?", "the of", "GPT-4 of 2024", "日本", "moon " * 300])
def test_any_question_can_be_asked(reranker: Reranker, minilm: MiniLM, text: str) -> None:
    question, excerpts = asked(minilm, text), [excerpt(minilm, *one) for one in TEXTS.items()]
    assert all(-1 <= value <= 1.001 + LEXICAL for value in reranker.rerank(question, excerpts))
    for read in reranker.read(question, excerpts):
        assert all(-1 <= value <= 1.001 for value in read.values)
        assert set(read.near[0]) <= set(question.weights)


def test_with_no_question_nothing_is_near(reranker: Reranker, minilm: MiniLM) -> None:
    [read] = reranker.read(asked(minilm, ""), [excerpt(minilm, "A", "B.")])
    assert read.near == ({},)


def test_no_excerpts_have_no_values(reranker: Reranker, minilm: MiniLM) -> None:
    assert reranker.rerank(asked(minilm, "Why?"), []) == []
    assert reranker.read(asked(minilm, "Why?"), []) == []


def test_it_has_a_name(reranker: Reranker) -> None:
    assert reranker.name


@pytest.mark.parametrize("fault", [{"kind": "status", "status": 429}, {"kind": "drop"}])
def test_a_vendor_that_fails_is_told_apart(
    pinecone: PineconeReranker,
    pinecone_server: PineconeServer,
    minilm: MiniLM,
    fault: dict[str, object],
) -> None:
    pinecone_server.misbehave(**fault)
    with pytest.raises(RerankFailed) as failed:
        pinecone.rerank(asked(minilm, "Why?"), [excerpt(minilm, "A", "B")])
    assert failed.value.__cause__


def test_late_interaction_needs_word_states(minilm: MiniLM) -> None:
    question, one = asked(minilm, "Why?"), excerpt(minilm, "A", "B")
    bare = replace(question, embedding=Embedding(question.embedding.vector))
    stateless = replace(one, stored=replace(one.stored, states=()))
    for way in (LateInteraction().rerank, LateInteraction().read):
        for asks, of in ((bare, one), (question, stateless)):
            with pytest.raises(RerankFailed):
                way(asks, [of])


def test_many_excerpts_keep_their_places(pinecone: PineconeReranker, minilm: MiniLM) -> None:
    one, other = excerpt(minilm, "A", "cat"), excerpt(minilm, "A", "dog")
    values = pinecone.rerank(asked(minilm, "cat"), [one] * 120 + [other] * 30)
    assert values == [1.0] * 120 + [0.0] * 30


def test_without_time_nothing_is_asked(pinecone: PineconeReranker, minilm: MiniLM) -> None:
    with time_limit(0.5), pytest.raises(RerankFailed):
        pinecone.rerank(asked(minilm, "Why?"), [excerpt(minilm, "A", "B")])


def test_words_side_by_side_are_closer_than_words_apart(minilm: MiniLM) -> None:
    together = excerpt(minilm, "A", "A wing flap broke.")
    apart = excerpt(minilm, "A", "A wing of the house saw a flag and then a flap.")
    one, other = LexicalReranker().rerank(asked(minilm, "wing flap"), [together, apart])
    assert one > other > 0
    question = Question("?", (), {}, Embedding(np.zeros(1, np.float32)), 1)
    assert LexicalReranker().rerank(question, [together]) == [0.0]
