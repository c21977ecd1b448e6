from __future__ import annotations

import numpy as np
import pytest

from rag.answering import Evidence, Sentence
from rag.model import Embedding, Question, Span
from rag.query.gaps import Gaps, gaps
from rag.terms import terms


def asked(text: str) -> Question:
    words = tuple(terms(text))
    weights = {term.text: 1.0 for term in words}
    return Question(text, words, weights, Embedding(np.zeros(1, np.float32)), 1)


def said(question: Question, *sentences: str, elsewhere: str = "") -> Evidence:
    """Evidence whose sentences come near to their own words only."""
    weights = question.weights
    there = [{term.text for term in terms(text)} for text in sentences]
    anywhere = set().union(*there, (term.text for term in terms(elsewhere)))
    return Evidence(
        tuple(
            Sentence(0, Span(0, 1), text, 1, 1, 1, None, 1, {t: float(t in own) for t in weights})
            for text, own in zip(sentences, there, strict=True)
        ),
        {term: float(term in anywhere) for term in weights},
        by_states=False,
    )


def found(text: str, *sentences: str, elsewhere: str = "") -> Gaps:
    question = asked(text)
    return gaps(question, said(question, *sentences, elsewhere=elsewhere))


def test_nothing_is_missing_where_all_is_said() -> None:
    assert found("How long are tokens valid?", "Tokens are valid for 30 days.") == Gaps()
    assert Gaps().words == ()


def test_what_is_nowhere_is_named() -> None:
    missing = found("What does the enterprise plan cost?", "A plan costs 3 euros.")
    assert missing.nowhere == ("enterprise",)
    assert missing.words == ("The documents say nothing about “enterprise”.",)
    assert missing.share == pytest.approx(1 / 2)


def test_what_asks_for_a_number_is_told_that_none_was_found() -> None:
    missing = found("How many keys may an org have?", "An org has keys of its own.")
    assert missing.words == ("Nothing found gives the number.",)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("How many keys may an org have?", "An org has up to 20 keys."),
        ("How many keys may an org have?", "An org has two keys."),
        ("How many keys may an org have?", "An org may have any number of keys."),
        ("What year was the harbour built?", "The harbour was built in 1871."),
        ("How may keys be made by an org?", "An org makes keys."),
    ],
)
def test_a_number_is_missed_only_where_one_is_asked_for_and_not_given(
    question: str, sentence: str
) -> None:
    assert not found(question, sentence).uncounted


def test_a_number_of_the_question_is_not_the_one_that_it_asks_for() -> None:
    assert found("How many ships sank in 1871?", "Ships sank in 1871.").uncounted


def test_what_is_said_of_something_else_is_named() -> None:
    missing = found(
        "How long is an API key valid?", "Tokens are valid for 30 days.", elsewhere="the API key"
    )
    assert missing.nowhere == ()
    assert missing.not_there == ("API key",)
    assert missing.words == ("Nothing found says this of “API key”.",)


@pytest.mark.parametrize(
    ("question", "phrases"),
    [
        ("What is the capital of Mongolia?", ("capital of Mongolia",)),
        ("Can it be fine-tuned?", ("fine-tuned",)),
        ("Which browser does the console need?", ("browser", "console")),
        ("Does GPT-4 know Slack?", ("GPT-4 know Slack",)),
        ("Bread, salt?", ("Bread", "salt")),
        ("salt and salt", ("salt",)),
        ("An A-4 of 2024", ("4 of 2024",)),
        ("酒店房间多少钱？", ("酒店房间多少钱",)),
    ],
)
def test_neighbours_are_missed_together_as_they_are_written(
    question: str, phrases: tuple[str, ...]
) -> None:
    assert found(question, "Nothing of it.").nowhere == phrases


def test_words_of_asking_need_no_answer() -> None:
    assert found("How many tokens may it have at most?", "Tokens: 512.") == Gaps()
    assert found("What kind of thing is this?").words == ()


def test_a_word_like_it_will_do() -> None:
    question = asked("When do ships leave?")
    near = {"ship": 0.7, "leav": 1.0}
    sentence = Sentence(0, Span(0, 1), "Boats leave.", 1, 1, 1, None, 1, near)
    assert gaps(question, Evidence((sentence,), near, by_states=True)) == Gaps()
    distant = {"ship": 0.55, "leav": 1.0}
    missing = gaps(question, Evidence((sentence,), distant, by_states=True))
    assert (missing.nowhere, missing.share) == (("ships",), 0.0)


def test_of_several_questions_each_has_its_own_sentence() -> None:
    text = "How long are tokens valid, and who signs uploads?"
    both = found(text, "Tokens are valid for a day.", "The server signs uploads.")
    assert both == Gaps()
    one = found(text, "Tokens are valid for a day.", elsewhere="uploads are signed")
    assert one.unanswered == ("who signs uploads",)
    assert one.words == ("Nothing found answers “who signs uploads”.",)
    assert one.nowhere == one.not_there == ()
    assert one.share == pytest.approx(0.5)


def test_where_none_of_several_is_answered_their_words_tell_more() -> None:
    missing = found("Who won at chess? Who lost?", "Tokens are valid.")
    assert missing.unanswered == ()
    assert missing.words == ("The documents say nothing about “won at chess” or “lost”.",)


@pytest.mark.parametrize("question", ["", "?", "the of", "? ? ?", "and who", "日本はどこ？"])
def test_any_question_has_gaps_or_none(question: str) -> None:
    assert 0 <= found(question, "Bread.").share <= 1


def test_a_question_without_end_is_compared_all_the_same() -> None:
    for text in ("who won? " * 400, " " * 4000 + "and who", "x9 " * 1300, "ab?" * 1300):
        assert found(text, "Bread.").share <= 1
