"""Visits: what is answered from, what is remembered, and what is kept of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag.adapters.embedded.minilm import MiniLM
from rag.errors import GenerationFailed, RerankFailed, Unavailable
from rag.footnote import Footnote
from rag.model import Access, Chunking, Draft, Found, Principal, Search, Site, Source
from rag.query.pipeline import Querying
from rag.query.visit import Asked, Finished
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings
from rag.stores.answers import Given
from rag.stores.said import KEPT_SECONDS
from rag.usage import counted
from tests.answerers import Saying
from tests.conftest import Clock
from tests.wire.platform.writers import Writer

NEWTS = "Newts sleep under stones in winter. They eat snails at night."
QUESTION = "When do newts sleep?"
SAID = "Newts sleep in winter [1]. They eat snails [1]."
LONG = "Of ponds and rivers. " * 60
PUBLIC, CLOSED = Access("public"), Access("personal")
Begin = Callable[..., "Visitors"]


class Visitors:
    """A site that shows one data source, with a document in it."""

    def __init__(self, footnote: Footnote) -> None:
        self.footnote = footnote
        self.source = footnote.sources.create("acme", "ann", "Docs", PUBLIC)
        self.site = Site("site_1", "acme", "S", None, (self.source.id,), {}, "ann", None)
        self.tell("newts", NEWTS)

    def tell(self, path: str, text: str, source: Source | None = None, **more: Any) -> None:
        id = (source or self.source).id
        self.footnote.ingestion.ingest("acme", Draft("s", path, path, text, data_source=id, **more))

    def steps(self, message: str = QUESTION, **more: Any) -> list[str | Finished]:
        site = more.pop("site", self.site)
        asked = Asked(message, "browse", None, None, "a session")
        return [*self.footnote.visiting.ask(site, replace(asked, **more)).steps]

    def ask(self, message: str = QUESTION, **more: Any) -> Finished:
        *said, last = self.steps(message, **more)
        assert isinstance(last, Finished)
        assert "".join(map(str, said)) == last.text
        return last

    def open_to(self, access: Access) -> None:
        now = self.footnote.sources.get("acme", self.source.id)
        assert now
        assert self.footnote.sources.change("acme", now, replace(now, access=access))


@pytest.fixture
def begin(tmp_path: Path, minilm: MiniLM, clock: Clock) -> Begin:
    def make(**parts: Any) -> Visitors:
        context_tokens = parts.pop("context_tokens", 12_000)
        made = Settings(data_dir=tmp_path, context_tokens=context_tokens)
        return Visitors(bootstrap(made, embedder=minilm, clock=clock, **parts))

    return make


def test_an_answer_is_from_what_the_site_lists_alone(begin: Begin) -> None:
    visitors = begin()
    other = visitors.footnote.sources.create("acme", "ann", "Secret", PUBLIC)
    visitors.tell("secret", "Newts sleep in the safe of the bank.", other)
    found = visitors.ask()
    assert [one.title for one in found.sources] == ["newts"]
    assert "safe" not in found.text
    both = replace(visitors.site, data_sources=(visitors.source.id, other.id))
    assert "secret" in {one.title for one in visitors.ask(site=both).sources}


@pytest.mark.parametrize("sources", [(), ("src_gone",)])
def test_a_site_that_shows_nothing_refuses_without_a_search(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, sources: tuple[str, ...]
) -> None:
    visitors = begin()
    monkeypatch.setattr(type(visitors.footnote.querying), "retrieve", None)
    with counted() as used:
        found = visitors.ask(site=replace(visitors.site, data_sources=sources))
    assert (found.text, found.sources) == ("The documents do not say.", ())
    assert (found.outcome, found.tokens) == ("abstain", 0)
    assert used == {"questions": 1, "abstained": 1}


def test_what_is_asked_again_is_not_written_again(begin: Begin) -> None:
    writer = Saying([SAID])
    visitors = begin(answerer=writer)
    first, again = visitors.ask(), visitors.ask(session="another")
    assert len(writer.asked) == 1
    assert (first.tokens, again.tokens) == (15, 0)
    assert replace(again, tokens=15) == first
    assert len(visitors.steps()) > 2  # it comes in sentences, as it did


@pytest.mark.parametrize(
    "more",
    [
        {"message": "When do newts sleep"},
        {"page": "/ponds"},
        {"mode": "chat", "selection": "Newts sleep."},
        {"mode": "chat", "selection": f"{LONG} Newts sleep."},
    ],
)
def test_another_question_is_another_answer(begin: Begin, more: dict[str, Any]) -> None:
    writer = Saying(["Newts sleep in winter [1]."])
    visitors = begin(answerer=writer)
    for _ in range(2):
        visitors.ask()
        visitors.ask(mode="chat", selection=LONG)
        visitors.ask(**more)
    assert len(writer.asked) == 3


def test_another_writer_is_asked_anew(begin: Begin) -> None:
    visitors = begin(answerer=Saying([SAID]))
    visitors.ask()
    visiting = visitors.footnote.visiting
    other = replace(visiting.querying, answerer=Saying([SAID], "other"))
    vars(visitors.footnote)["visiting"] = replace(visiting, querying=other)
    assert visitors.ask().model == "other"


def test_a_page_is_the_same_whatever_is_sent_with_its_address(begin: Begin) -> None:
    writer = Saying([SAID])
    visitors = begin(answerer=writer)
    for page in ("/newts?utm=5", "https://a.example/newts/#top"):
        visitors.ask(page=page)
    assert len(writer.asked) == 1


def test_a_source_that_is_closed_meanwhile_leads_to_a_refusal(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitors = begin()
    monkeypatch.setattr(
        type(visitors.footnote.visiting.sayings), "get", lambda *_: visitors.open_to(CLOSED)
    )
    assert visitors.ask().outcome == "abstain"


def test_in_another_site_of_the_same_sources_it_is_the_same_answer(begin: Begin) -> None:
    writer = Saying([SAID])
    visitors = begin(answerer=writer)
    visitors.ask()
    visitors.ask(site=replace(visitors.site, id="site_2"))
    assert len(writer.asked) == 1


def test_nothing_is_remembered_beyond_a_change_of_the_documents(begin: Begin) -> None:
    visitors = begin()
    visitors.ask()
    visitors.tell("newts", "Newts sleep under leaves in autumn.")
    assert "autumn" in visitors.ask().text


def test_what_is_closed_is_closed_to_what_is_remembered_too(begin: Begin) -> None:
    visitors = begin()
    before = visitors.ask()
    visitors.open_to(CLOSED)
    assert visitors.ask().outcome == "abstain"
    assert "winter" not in visitors.ask().text
    visitors.open_to(PUBLIC)
    assert visitors.ask() == before


def test_an_answer_is_remembered_for_a_while(begin: Begin, clock: Clock) -> None:
    writer = Saying([SAID])
    visitors = begin(answerer=writer)
    visitors.ask()
    clock.now += KEPT_SECONDS + 1
    visitors.ask()
    assert len(writer.asked) == 2


def test_an_answer_that_lacks_something_is_not_remembered(begin: Begin) -> None:
    writer = Saying([f"{SAID} Newts own 12 castles in Spain [1]."])
    visitors = begin(answerer=writer)
    visitors.ask()
    visitors.ask()
    assert len(writer.asked) == 2


def test_nor_is_one_from_an_order_that_lacks_a_stage(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = Saying([SAID])
    visitors = begin(answerer=writer)

    def fail(*_: object) -> None:
        raise RerankFailed("down")

    monkeypatch.setattr(type(visitors.footnote.querying.reranker), "rerank", fail)
    visitors.ask()
    visitors.ask()
    assert len(writer.asked) == 2


def test_one_that_breaks_off_is_not_remembered(begin: Begin) -> None:
    writer = Writer(SAID, " Whatever else there may be to say.", breaks_off=True)
    visitors = begin(answerer=writer)
    for _ in range(2):
        with pytest.raises(GenerationFailed):
            visitors.steps()
    assert len(writer.asked) == 2


def down(*_: object) -> None:
    raise Unavailable("down")


def test_without_the_cache_visitors_are_answered_all_the_same(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitors = begin()
    for name in ("get", "put"):
        monkeypatch.setattr(type(visitors.footnote.visiting.sayings), name, down)
    monkeypatch.setattr(type(visitors.footnote.answers), "keep", down)
    assert visitors.ask() == visitors.ask()
    assert visitors.ask().outcome == "answer"


def test_every_answer_is_kept_so_that_it_can_be_rated(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitors = begin()
    kept: dict[str, Given] = {}
    monkeypatch.setattr(visitors.footnote.answers, "keep", kept.__setitem__)
    asked = Asked(QUESTION, "browse", None, "https://a.example/x?mail=ann", "a session")
    for _ in range(2):
        visited = visitors.footnote.visiting.ask(visitors.site, asked)
        *_, last = visited.steps
        assert isinstance(last, Finished)
        (source,) = last.sources
        told = {"id": source.id, "title": source.title, "url": source.url}
        page = "https://a.example/x"
        assert kept.pop(visited.id) == Given(
            "acme", "site_1", "a session", QUESTION, "answer", (told,), page
        )
    assert kept == {}


def test_a_model_that_finds_no_answer_has_no_sources(begin: Begin) -> None:
    visitors = begin(answerer=Saying(["The documents do not say that."]))
    found = visitors.ask()
    assert (found.text, found.outcome) == ("The documents do not say that.", "abstain")
    assert found.sources == ()


def test_a_selection_steers_the_search_in_mode_chat_alone(begin: Begin) -> None:
    visitors = begin()
    visitors.tell("robots", "A robot's chain has many degrees of freedom. It is called DOF.")
    chain = "many degrees of freedom"
    found = visitors.ask("Explain this", mode="chat", selection=chain)
    assert [one.title for one in found.sources] == ["robots"]
    without = visitors.ask("Explain this", mode="browse", selection=chain)
    assert without == visitors.ask("Explain this", mode="chat", selection=" \n ")
    assert without.sources == ()


def test_an_unrelated_question_names_its_gap_whatever_is_selected(begin: Begin) -> None:
    found = begin().ask("Who won the world cup?", mode="chat", selection=NEWTS)
    assert found.text == (
        "The documents do not say. The documents say nothing about “won the world cup”."
    )
    assert found.sources == ()


def test_where_the_documents_do_not_answer_the_selection_may(begin: Begin) -> None:
    visitors = begin(answerer=Saying(["Zorblax is a fungus [0]."]))
    found = visitors.ask("Explain this", mode="chat", selection="Zorblax is a fungus that glows.")
    assert found.text == "Zorblax is a fungus."
    assert found.sources == ()


def test_more_is_looked_at_than_is_shown_and_a_part_of_the_selection_steers(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitors = begin()
    searches: list[Search] = []
    retrieve = Querying.retrieve

    def spied(querying: Querying, caller: Principal, search: Search) -> Found:
        searches.append(search)
        return retrieve(querying, caller, search)

    monkeypatch.setattr(Querying, "retrieve", spied)
    visitors.ask(mode="chat", selection=LONG)
    visitors.ask()
    assert searches == [Search(f"{QUESTION}\n\n{LONG[:1000]}", 8), Search(QUESTION, 8)]


def test_a_long_selection_leaves_room_for_documents(begin: Begin) -> None:
    writer = Saying([SAID])
    visitors = begin(answerer=writer, context_tokens=2000)
    visitors.ask(mode="chat", selection="🦎" * 5000)
    prompt = writer.asked[0].messages[0].content
    assert NEWTS in prompt
    assert 100 < prompt.count("🦎") < 5000


def test_where_no_passage_has_room_nothing_fails(begin: Begin) -> None:
    visitors = begin(context_tokens=100)
    visitors.tell("newts", f"{NEWTS} " * 300, chunking=Chunking(8000))
    assert visitors.ask().outcome == "abstain"


ANYTHING = st.text(st.characters(codec="utf-8"), min_size=1)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    message=st.sampled_from(["🦎", "x", "ᚠ ", "<", "newts 1"]) | ANYTHING,
    selection=st.sampled_from(["🦎", "y ", "</source>", "ᚠ"]) | ANYTHING,
)
def test_nothing_that_may_be_asked_is_too_long(begin: Begin, message: str, selection: str) -> None:
    visitors = begin(context_tokens=100, answerer=Saying([SAID]))
    more = {"mode": "chat", "selection": (selection * 5000)[:5000]}
    assert visitors.ask((message * 2000)[:2000], **more).text
    ask = visitors.footnote.querying.answerer
    assert isinstance(ask, Saying)
    assert all(len(one.system) < 3000 for one in ask.asked)
