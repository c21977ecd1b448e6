"""Answers that were given and rated, on every adapter of Items."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest

from rag.clock import ulid
from rag.ports import Items
from rag.stores.answers import (
    KEPT_SECONDS,
    PAGE,
    RATED_SECONDS,
    UNANSWERED_SECONDS,
    Answers,
    Given,
    Rated,
)
from tests.conftest import Clock

SESSION = "550e8400-e29b-41d4-a716-446655440000"
OTHER = "550e8400-e29b-41d4-a716-446655440001"
SOURCES = ({"id": "cit_1", "title": "Kettle", "url": "/kettle#warranty"},)
GIVEN = Given("acme", "site_1", SESSION, "When?", "answer", SOURCES, "https://docs.example/kettle")
UNANSWERED = replace(GIVEN, question="Who?", outcome="abstain", sources=(), page=None)


@pytest.fixture
def answers(items: Items, clock: Clock) -> Answers:
    return Answers(items, items, clock)


def kept(answers: Answers, clock: Clock, given: Given = GIVEN) -> str:
    clock.now += 0.25
    id = f"ans_{ulid(clock.now)}"
    answers.keep(id, given)
    return id


def rated(answers: Answers, org: str = "acme") -> list[tuple[str, bool | None, str | None]]:
    return [(one.id, one.helpful, one.comment) for one in answers.rated(org)]


def test_a_rated_answer_is_told_with_question_sources_and_outcome(
    answers: Answers, clock: Clock
) -> None:
    id = kept(answers, clock)
    assert rated(answers) == []
    clock.now += 60
    assert answers.rate(id, "site_1", SESSION, True, "Thanks.")
    page = "https://docs.example/kettle"
    assert list(answers.rated("acme")) == [
        Rated(
            id, "site_1", "When?", "answer", SOURCES, page, True, "Thanks.",
            "2027-01-15T08:00:00.250Z",
        )
    ]  # fmt: skip
    assert rated(answers, "zeta") == []


def test_a_rating_takes_the_place_of_an_earlier_one(answers: Answers, clock: Clock) -> None:
    id = kept(answers, clock)
    assert answers.rate(id, "site_1", SESSION, True, "Thanks.")
    assert answers.rate(id, "site_1", SESSION.upper(), False, None)
    assert rated(answers) == [(id, False, None)]


def test_only_who_was_given_an_answer_may_rate_it(answers: Answers, clock: Clock) -> None:
    id = kept(answers, clock)
    assert not answers.rate(id, "site_1", OTHER, True, None)
    assert not answers.rate(id, "site_2", SESSION, True, None)
    assert not answers.rate(f"ans_{ulid(clock.now)}", "site_1", SESSION, True, None)
    assert rated(answers) == []


def test_an_answer_can_be_rated_for_a_day(answers: Answers, clock: Clock) -> None:
    id = kept(answers, clock)
    clock.now += KEPT_SECONDS - 1
    assert answers.rate(id, "site_1", SESSION, True, None)
    clock.now += 1
    assert not answers.rate(id, "site_1", SESSION, False, None)
    assert rated(answers) == [(id, True, None)]


def test_what_the_documents_did_not_hold_is_told_unrated(answers: Answers, clock: Clock) -> None:
    partial = replace(GIVEN, outcome="partial")
    kept(answers, clock, partial)
    id = kept(answers, clock, UNANSWERED)
    assert rated(answers) == [(id, None, None)]
    assert answers.rate(id, "site_1", SESSION, False, "No.")
    assert rated(answers) == [(id, False, "No.")]


def test_ratings_and_unanswered_questions_are_kept_for_a_while(
    answers: Answers, clock: Clock
) -> None:
    asked = kept(answers, clock, UNANSWERED)
    id = kept(answers, clock)
    assert answers.rate(id, "site_1", SESSION, True, None)
    clock.now += UNANSWERED_SECONDS - 1
    assert rated(answers) == [(id, True, None), (asked, None, None)]
    clock.now += 1
    assert rated(answers) == [(id, True, None)]
    clock.now += RATED_SECONDS - UNANSWERED_SECONDS
    assert rated(answers) == []


def test_all_are_told_newest_first_beyond_any(answers: Answers, clock: Clock) -> None:
    ids = [kept(answers, clock, UNANSWERED) for _ in range(PAGE + 5)]
    newest = ids[::-1]
    assert [one.id for one in answers.rated("acme")] == newest
    assert [one.id for one in islice(answers.rated("acme", newest[1]), 2)] == newest[2:4]
    assert list(answers.rated("acme", ids[0])) == []


def test_nobody_can_read_which_session_it_was(answers: Answers, items: Items, clock: Clock) -> None:
    id = kept(answers, clock)
    answers.rate(id, "site_1", SESSION, True, None)
    held = [*items.query(f"ANSWER#{id}"), *items.query("FEEDBACK#acme")]
    assert len(held) == 2
    assert SESSION not in str(held)
