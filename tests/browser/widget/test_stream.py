"""Answers as they arrive."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.widget.conftest import Gate, Visit
from tests.browser.widget.scripted import Reply, ScriptedApi, answer, event, streamed, whole

EVENTS = "text/event-stream"
SOURCES = (
    {
        "title": "Kettle",
        "url": "/docs/kettle#warranty",
        "excerpt": "…**The** warranty ends `soon`.",
    },
    {
        "title": "Terms",
        "url": "https://terms.example/x",
        "excerpt": "Parts that wear - and not",
    },
    {"title": "A note", "url": "", "excerpt": "Dropping is not covered."},
    {"title": "A script", "url": "javascript:alert(1)", "excerpt": "Run me."},
)


def test_sentences_are_shown_as_they_are_written(
    visit: Visit, api: ScriptedApi, gate: Gate
) -> None:
    api.replies.append(gate.reply)
    chat = visit().open()
    chat.type("Anything?")
    expect(chat.answer).to_have_text("First.")
    expect(chat.button("Stop")).to_be_visible()
    expect(chat.button("Send")).to_be_hidden()
    gate.open.set()
    expect(chat.answer).to_have_text("First. Second.")
    expect(chat.button("Send")).to_be_visible()
    assert api.requests[-1].headers["Accept"] == EVENTS


@pytest.mark.parametrize("end", ["\n\n", "\r\n\r\n"], ids=["lf", "crlf"])
def test_events_are_whole_over_any_boundaries(visit: Visit, api: ScriptedApi, end: str) -> None:
    text = "Größe: 1,7 l 🫖 [1]."
    steps = [
        b": a comment\n\nid: 7\n",
        event(type="chunk", text=text[:9]),
        event(type="something new"),
        event(type="chunk", text=text[9:]),
        event(type="complete", **answer(text, SOURCES[0])),
    ]
    body = b"".join(steps).decode().replace("\n\n", end).encode()
    api.replies.append(Reply([bytes([one]) for one in body], kind=EVENTS))
    expect(visit().open().ask()).to_have_text("Größe: 1,7 l 🫖1.")


def test_an_answer_of_json_is_as_good(visit: Visit, api: ScriptedApi) -> None:
    api.replies.append(whole(answer("All at once [1].", SOURCES[0])))
    chat = visit().open()
    expect(chat.ask()).to_have_text("All at once1.")
    expect(chat.cards).to_have_count(1)


def test_stop_keeps_what_was_said_and_offers_to_try_again(
    visit: Visit, api: ScriptedApi, gate: Gate
) -> None:
    api.replies += [gate.reply, streamed("All of it.")]
    chat = visit().open()
    chat.type("Anything?")
    expect(chat.answer).to_have_text("First.")
    chat.button("Stop").click()
    expect(chat.problem).to_have_text("You stopped this answer.")
    expect(chat.answer).to_have_text("First.")
    chat.button("Try again").click()
    expect(chat.answer).to_have_text("All of it.")
    expect(chat.turns).to_have_count(1)


def test_numbers_lead_to_their_sources(visit: Visit, api: ScriptedApi) -> None:
    api.replies.append(streamed("One [1], two [2], three [3], four [4], none [9].", *SOURCES))
    chat = visit().open()
    said = chat.ask()
    expect(said).to_have_text(re.compile(r"^One1, two2.*, three3, four4, none \[9\]\.$"))
    here, away = said.locator("a.cite").all()
    own = here.evaluate("node => [node.pathname + node.hash, node.target, node.rel]")
    assert own == ["/docs/kettle#warranty:~:text=The%20warranty%20ends%20soon.", "", ""]
    assert away.get_attribute("target") == "_blank"
    assert away.get_attribute("rel") == "noopener noreferrer"
    text = "Parts%20that%20wear%20%2D%20and%20not"
    assert away.get_attribute("href") == f"https://terms.example/x#:~:text={text}"
    expect(here).to_have_accessible_name("Source 1: Kettle")


def test_a_source_without_an_address_is_shown_by_its_number(visit: Visit, api: ScriptedApi) -> None:
    api.replies.append(streamed("Three [3], four [4].", *SOURCES))
    chat = visit().open()
    for name, shown in (("Source 3: A note", 2), ("Source 4: A script", 3)):
        chat.ask() if not chat.turns.count() else None
        chat.answer.get_by_role("button", name=name).click()
        expect(chat.cards.nth(shown)).to_be_focused()
        expect(chat.cards.nth(shown)).to_have_class(re.compile("lit"))
    expect(chat.cards).to_have_count(4)
    expect(chat.panel.locator("a.card")).to_have_count(2)
    expect(chat.cards.first).to_contain_text("The warranty ends soon.")


def test_a_source_on_the_same_site_opens_in_the_same_tab_and_the_talk_goes_on(
    visit: Visit, api: ScriptedApi
) -> None:
    api.replies.append(streamed("See [1].", {**SOURCES[0], "url": "/docs/other"}))
    chat = visit().open()
    chat.ask()
    chat.cards.first.click()
    chat.page.wait_for_url("**/docs/other*")
    expect(chat.answer).to_have_text("See1.")


def test_a_long_answer_is_read_from_its_question_on(visit: Visit, api: ScriptedApi) -> None:
    api.replies += [streamed("A paragraph of words.\n\n" * 60)] * 2
    chat = visit(reduced_motion="reduce").open()
    for n in (1, 2):
        chat.ask(f"Question {n}?")
        expect(chat.turns.last.locator(".asked")).to_be_in_viewport(ratio=1)
    chat.panel.locator(".log").hover()
    chat.page.mouse.wheel(0, -5000)
    expect(chat.turns.first.locator(".asked")).to_be_in_viewport(ratio=1)
