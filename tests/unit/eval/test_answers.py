from __future__ import annotations

from pathlib import Path

import pytest

from eval.answers import QUESTIONS, ROOT, Asked, Result, asker, documentation, load, plain, report
from rag.adapters.embedded.minilm.embedder import MiniLM
from rag.model import Draft
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings


def test_there_are_a_hundred_questions_of_which_thirty_are_not_answered() -> None:
    questions = load(QUESTIONS)
    assert len({asked.question for asked in questions}) == 100
    assert sum(asked.answerable for asked in questions) == 70


def test_what_counts_as_an_answer_is_in_its_documents() -> None:
    texts = {path.relative_to(ROOT).as_posix(): plain(path.read_text()) for path in documentation()}
    for asked in load(QUESTIONS):
        assert bool(asked.documents) == asked.answerable
        for name in asked.documents:
            assert any(plain(words) in texts[name] for words in asked.answers), asked


@pytest.fixture(scope="module")
def results(minilm: MiniLM, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    footnote = bootstrap(Settings(data_dir=tmp_path_factory.mktemp("data")), embedder=minilm)
    text = "The server listens on port 4711.\n\nIts log has one line for every request."
    footnote.ingestion.ingest("local", Draft("documentation", "a.md", "Server", text))
    port = "On which port does the server listen?"
    questions = {
        "right": Asked(port, ("4711",), ("a.md",)),
        "elsewhere": Asked(port, ("4711",), ("b.md",)),
        "wrong": Asked(port, ("4712",), ("a.md",)),
        "invented": Asked(port, (), ()),
        "unknown": Asked("Who composed the opera Carmen?", (), ()),
    }
    ask = asker(footnote, by_words=False)
    return {name: ask(asked) for name, asked in questions.items()}


def test_an_answer_must_be_quoted_from_the_right_document(results: dict[str, Result]) -> None:
    assert [name for name, result in results.items() if result.right] == ["right"]


def test_what_is_answered_though_it_is_not_there_is_invented(results: dict[str, Result]) -> None:
    assert [name for name, result in results.items() if result.invented] == ["invented"]
    assert results["unknown"].grounding.outcome == "abstain"


def test_too_few_right_answers_or_an_invented_one_fail(
    results: dict[str, Result], capsys: pytest.CaptureFixture[str]
) -> None:
    assert report([results["right"], results["unknown"]]) == 0
    assert "1 of 1; invented: 0" in capsys.readouterr().out
    assert report([results["right"], results["wrong"]]) == 1
    assert "missed (answer" in capsys.readouterr().out
    assert report([results["right"], results["invented"]]) == 1
    assert "invented (answer" in capsys.readouterr().out


def test_the_same_can_be_asked_by_words_alone(
    minilm: MiniLM, tmp_path: Path, results: dict[str, Result]
) -> None:
    footnote = bootstrap(Settings(data_dir=tmp_path), embedder=minilm)
    footnote.ingestion.ingest("local", Draft("d", "a.md", "Server", "It listens on port 4711."))
    result = asker(footnote, by_words=True)(results["right"].asked)
    assert result.grounding.judged_by == ("words",)
    assert result.right
