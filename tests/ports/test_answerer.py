"""What every `Answerer` adapter holds to."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rag.adapters.embedded.minilm import MiniLM
from rag.footnote import Footnote
from rag.identity import LOCAL_OWNER
from rag.model import Ask, Draft, Message, Reply, Search
from rag.ports import Answerer
from rag.query.layouts import V3
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings
from tests.loopback import OpenAIApi

FACT = "Most coasts have two high tides a day."


@pytest.fixture(params=["openai"])
def answerer(openai_api: OpenAIApi) -> Answerer:
    return openai_api.answerer()


@pytest.fixture(scope="module")
def footnote(minilm: MiniLM, tmp_path_factory: pytest.TempPathFactory) -> Footnote:
    footnote = bootstrap(Settings(data_dir=Path(tmp_path_factory.mktemp("data"))), embedder=minilm)
    text = f"The tide is the rise and fall of the sea. {FACT}"
    footnote.ingestion.ingest("local", Draft("s", "/sea", "Tides", text))
    return footnote


def ask(footnote: Footnote, question: str) -> Ask:
    found = footnote.querying.retrieve(LOCAL_OWNER, Search(question))
    context = footnote.querying.assemble(question, found.excerpts, 1000, V3)
    return Ask((Message("user", question),), f"{context.prompt}\n\nBe brief.")


def test_the_answer_is_from_the_documents_and_says_who_wrote_it(
    answerer: Answerer, footnote: Footnote
) -> None:
    reply = answerer.answer(ask(footnote, "How many high tides are there in a day?"))
    assert FACT in reply.text
    assert "Tides" in reply.text
    assert reply.model == "extractive"
    assert min(reply.usage.prompt_tokens, reply.usage.completion_tokens) >= 0


def drained(stream: Generator[str, None, Reply]) -> tuple[list[str], Reply]:
    ended: list[Reply] = []

    def pieces() -> Iterator[str]:
        ended.append((yield from stream))

    return list(pieces()), ended[0]


def test_the_pieces_of_an_answer_are_the_answer(answerer: Answerer, footnote: Footnote) -> None:
    for question in ("How many high tides are there in a day?", "Who won at chess in 1972?"):
        asked = ask(footnote, question)
        pieces, whole = drained(answerer.stream(asked))
        assert "".join(pieces) == whole.text
        assert whole == answerer.answer(asked)
        assert all(pieces)
    assert len(list(answerer.stream(ask(footnote, "How many high tides are in a day?")))) > 1


def test_what_the_documents_do_not_say_is_not_made_up(
    answerer: Answerer, footnote: Footnote
) -> None:
    reply = answerer.answer(ask(footnote, "Who won the chess championship of 1972?"))
    assert "not" in reply.text
    assert FACT not in reply.text


def test_no_documents_found_is_said_too(answerer: Answerer, footnote: Footnote) -> None:
    asked = ask(footnote, "tides")
    empty = replace(asked, system="")
    assert answerer.answer(empty).text
