from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import pytest

from rag.answering import Answered, Grounding, Said
from rag.errors import GenerationFailed
from rag.model import Ask, Reply, Search, Usage
from rag.query.answer import answer, asking
from rag.query.assemble import assemble
from rag.query.inquiry import Inquiry
from rag.query.layouts import PLATFORM
from rag.query.quote import NOTHING, quotes
from tests.answerers import Saying, Writing
from tests.passages import excerpt, grounding, sentence

ROOMS = "Hotel rooms are paid for up to 140 euros a night."
QUERY = "What may a hotel room cost?"
FOUND = [excerpt(f"{ROOMS} Breakfast is extra.", "Travel")]
INQUIRY = Inquiry(Search(QUERY))
ASSEMBLED = assemble(QUERY, FOUND, 10_000, PLATFORM)
GROUNDED = grounding(sentence(FOUND, ROOMS))
QUOTED = quotes(GROUNDED.sentences, FOUND, ASSEMBLED.pieces)


def events(
    answerer: Saying | Writing | None, grounded: Grounding = GROUNDED, strict: bool = False
) -> list[Said | Answered]:
    ask = asking(ASSEMBLED, grounded, INQUIRY)
    return list(answer(answerer, ask, QUERY, ASSEMBLED, grounded, QUOTED, strict))


def whole(found: list[Said | Answered]) -> Answered:
    *said, last = found
    assert isinstance(last, Answered)
    kept = [one for one in said if isinstance(one, Said) and one.kept]
    assert "".join(one.text for one in kept) == last.text
    assert tuple(citation for one in kept for citation in one.citations) == last.citations
    return last


def test_a_language_model_answers_and_is_cited() -> None:
    found = whole(events(Writing("extractive")))
    assert found.text == f"{ROOMS[:-1]} [1]."
    assert [one.quote for one in found.citations] == [ROOMS]
    assert (found.model, found.confidence) == ("extractive", pytest.approx(0.8))


def test_who_wrote_it_and_what_it_took_is_known_at_the_end() -> None:
    saying = Saying([ROOMS[:20], ROOMS[20:]])
    found = whole(events(saying))
    assert (found.text, found.model, found.usage) == (ROOMS, "saying", Usage(10, 5))
    assert saying.asked == [asking(ASSEMBLED, GROUNDED, INQUIRY)]


def test_without_a_language_model_the_quotes_are_the_answer() -> None:
    found = whole(events(None))
    assert found.text.startswith(f"“{ROOMS} ")
    assert found.confidence == pytest.approx(0.8)


def test_quotes_take_the_place_of_an_answer_that_is_not_in_the_sources() -> None:
    found = whole(events(Saying(["Hotel rooms cost 999 euros."])))
    assert found.text.startswith(f"“{ROOMS} ")
    assert [notice.code for notice in found.notices] == ["CONTEXT_IGNORED", "NOT_GROUNDED"]


def test_where_the_sources_do_not_say_nobody_is_asked() -> None:
    saying = Saying([ROOMS])
    abstains = grounding(outcome="abstain", gaps=("They say nothing about “boats”.",))
    found = whole(events(saying, abstains))
    assert found.text == f"{NOTHING} They say nothing about “boats”."
    assert (found.confidence, saying.asked) == (0, [])


def test_a_language_model_is_told_what_is_missing() -> None:
    partial = grounding(sentence(FOUND, ROOMS), outcome="partial", gaps=("No word of “boats”.",))
    inquiry = replace(INQUIRY, model="some-model", options={"temperature": 0})
    ask = asking(ASSEMBLED, partial, inquiry)
    assert ask.system.startswith(ASSEMBLED.system)
    assert ask.system.endswith("No word of “boats”.")
    assert (ask.model, ask.options) == ("some-model", {"temperature": 0})
    assert [message.content for message in ask.messages] == [ASSEMBLED.prompt]
    assert asking(ASSEMBLED, GROUNDED, INQUIRY).system == ASSEMBLED.system
    # Unless that would be more than it may get to read.
    full = replace(INQUIRY, max_tokens=ASSEMBLED.token_count)
    assert asking(ASSEMBLED, partial, full).system == ASSEMBLED.system


class Breaking(Saying):
    def stream(self, ask: Ask) -> Generator[str, None, Reply]:
        yield from self.pieces
        raise GenerationFailed("It broke off.")


@pytest.mark.parametrize("said", [[], ["Hotel"], [ROOMS, " And breakfast is extra, so it is.\n"]])
def test_a_language_model_that_fails_fails_the_answer_after_what_was_sent(said: list[str]) -> None:
    stream = answer(
        Breaking(said), asking(ASSEMBLED, GROUNDED, INQUIRY), QUERY, ASSEMBLED, GROUNDED, QUOTED
    )
    if len(said) > 1:
        sent = next(stream)
        assert isinstance(sent, Said)
        assert (sent.text, sent.kept) == (ROOMS, True)
    with pytest.raises(GenerationFailed):
        list(stream)
