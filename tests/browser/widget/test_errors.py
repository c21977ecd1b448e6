"""What people are told where an answer fails, and what they can do then."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Watched
from tests.browser.widget.conftest import Gate, Visit
from tests.browser.widget.scripted import Reply, ScriptedApi, event, refused, streamed, whole

EVENTS = "text/event-stream"
SIGNED_IN = "Your sign-in has expired. Please sign in again."
BUSY = "The answering service is busy. Please wait a moment."
UNREADABLE = "The answer arrived in a form that could not be read."
BROKEN = "The answer broke off before it was complete."
ODD = "This chat is not set up correctly. Please tell its owner."
WORDS = {
    (400, "INVALID_REQUEST"): "This question was not understood. Please put it differently.",
    (400, "MESSAGE_TOO_LONG"): "Your question is too long. Please use at most 2,000 characters.",
    (400, "SELECTED_TEXT_TOO_LONG"): "The selected text is too long. Please select less.",
    (401, "UNAUTHORIZED"): SIGNED_IN,
    (403, "FORBIDDEN"): "This page may not ask questions here.",
    (404, "NOT_FOUND"): "This chat is not there any more.",
    (405, "METHOD_NOT_ALLOWED"): ODD,
    (409, "CONFLICT"): "Something else happened at the same time. Please try again.",
    (413, "PAYLOAD_TOO_LARGE"): "That was too much text. Please ask with less.",
    (415, "UNSUPPORTED_MEDIA_TYPE"): ODD,
    (429, "RATE_LIMIT_EXCEEDED"): "You asked a lot in a short time. Please wait a moment.",
    (500, "INTERNAL_ERROR"): "Something went wrong on our side. Please try again.",
    (503, "SERVICE_UNAVAILABLE"): BUSY,
}
ODDITIES = {
    "a proxy's page": (Reply([b"<h1>Bad gateway</h1>"], 502, "text/html"), BUSY),
    "an unknown code": (refused(418, "TEAPOT"), UNREADABLE),
    "no JSON": (Reply([b"Hello"]), UNREADABLE),
    "another JSON": (whole([1]), UNREADABLE),
    "no answer in it": (whole({"answer": 7}), UNREADABLE),
    "an event of no JSON": (Reply([b"data: {\n\n"], kind=EVENTS), UNREADABLE),
    "an end too early": (Reply([event(type="chunk", text="One")], kind=EVENTS), BROKEN),
    "a lost connection": (Reply([event(type="chunk", text="A")], kind=EVENTS, cut=True), BROKEN),
    "an error in the stream": (
        Reply(
            [
                event(type="chunk", text="One."),
                event(type="error", error={"code": "SERVICE_UNAVAILABLE", "details": None}),
            ],
            kind=EVENTS,
        ),
        BUSY,
    ),
}


def test_each_code_has_words_of_its_own_and_the_question_stays(
    visit: Visit, api: ScriptedApi
) -> None:
    chat = visit().open()
    for (status, code), words in WORDS.items():
        api.replies.append(refused(status, code))
        assert chat.fail(f"What of {code}?") == words
        expect(chat.turns.last.get_by_role("button")).to_have_text("Try again")
    expect(chat.turns).to_have_count(len(WORDS))
    api.replies.append(streamed("Better."))
    chat.turns.first.get_by_role("button").click()
    expect(chat.turns.first.locator(".said")).to_have_text("Better.")
    assert api.asked[-1]["message"] == "What of INVALID_REQUEST?"


def test_what_is_no_answer_is_not_taken_for_one(visit: Visit, api: ScriptedApi) -> None:
    chat = visit().open()
    for reply, words in ODDITIES.values():
        api.replies.append(reply)
        assert chat.fail() == words
    expect(chat.live).to_have_text(BUSY)


@pytest.mark.parametrize("told", ["details", "header"])
def test_after_too_many_questions_seconds_are_counted_down(
    visit: Visit, api: ScriptedApi, told: str
) -> None:
    details = {"retry_after": 42, "limit": "10 requests per minute (anonymous tier)"}
    refusals = {
        "details": refused(429, "RATE_LIMIT_EXCEEDED", details),
        "header": refused(429, "RATE_LIMIT_EXCEEDED", Retry_After="42"),
    }
    api.replies += [refusals[told], streamed("Now.")]
    chat = visit()
    chat.page.clock.install()
    chat.open().type("Again?")
    again = chat.turns.last.get_by_role("button")
    expect(again).to_have_text("Try again in 42 s")
    expect(again).to_have_attribute("aria-disabled", "true")
    chat.page.clock.run_for(10_000)
    expect(again).to_have_text("Try again in 32 s")
    again.click(force=True)
    assert len(api.asked) == 1
    chat.page.clock.run_for(32_000)
    expect(again).to_have_text("Try again")
    expect(again).to_have_attribute("aria-disabled", "false")
    expect(chat.live).to_have_text("You can try again now.")
    again.click()
    chat.page.clock.run_for(1000)
    expect(chat.answer).to_have_text("Now.")


def test_an_unknown_session_is_replaced_without_a_word(visit: Visit, api: ScriptedApi) -> None:
    api.replies += [refused(400, "INVALID_SESSION_ID"), streamed("Here."), streamed("Too.")]
    chat = visit().open()
    expect(chat.ask()).to_have_text("Here.")
    chat.ask()
    first, second, third = (body["context"]["session_id"] for body in api.asked)
    assert first != second == third


def test_a_session_that_is_refused_twice_is_said(visit: Visit, api: ScriptedApi) -> None:
    api.replies += [refused(400, "INVALID_SESSION_ID")] * 2
    assert visit().open().fail() == "This conversation has expired. Please begin a new one."


def test_offline_and_back(visit: Visit, api: ScriptedApi) -> None:
    chat = visit().open()
    chat.page.context.set_offline(True)
    banner = chat.panel.locator(".net")
    expect(banner).to_be_visible()
    assert chat.fail() == "You are offline. Please try again once you are connected."
    assert api.asked == []
    again = chat.turns.last.get_by_role("button")
    expect(again).to_have_attribute("aria-disabled", "true")
    chat.page.context.set_offline(False)
    expect(banner).to_be_hidden()
    expect(chat.live).to_have_text("You are back online.")
    api.replies.append(streamed("Connected."))
    again.click()
    expect(chat.answer).to_have_text("Connected.")


def test_a_service_that_is_not_there(visit: Visit, watched: Watched, api: ScriptedApi) -> None:
    chat = visit({"data-api": "http://127.0.0.1:9/"}).open()
    assert chat.fail() == "The answering service cannot be reached at the moment."


def test_after_35_seconds_the_widget_gives_up(visit: Visit, api: ScriptedApi, gate: Gate) -> None:
    api.replies.append(gate.reply)
    chat = visit()
    chat.page.clock.install()
    chat.open().type("Anything?")
    chat.page.clock.run_for(1_000)
    expect(chat.answer).to_have_text("First.")
    chat.page.clock.run_for(34_000)
    expect(chat.problem).to_have_text("The answer took too long. Please try again.")


def test_only_one_question_at_a_time(visit: Visit, api: ScriptedApi, gate: Gate) -> None:
    api.replies += [refused(500, "INTERNAL_ERROR"), gate.reply]
    chat = visit().open()
    chat.fail()
    chat.type("Another?")
    expect(chat.answer).to_have_text("First.")
    expect(chat.button("Try again")).to_have_attribute("aria-disabled", "true")
    chat.type("A third?")
    expect(chat.input).to_have_value("A third?")
    assert len(api.asked) == 2
    assert json.dumps(api.asked).count("A third?") == 0
