"""Saying whether an answer helped."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.widget.conftest import Visit
from tests.browser.widget.scripted import ScriptedApi, refused, streamed, whole

RECEIVED = {"status": "received"}
YES, NO = "Yes, it was helpful", "No, it was not helpful"


def test_a_thumb_is_sent_at_once_and_a_comment_after_it(visit: Visit, api: ScriptedApi) -> None:
    api.replies += [streamed("So.", id="ans_7"), *[whole(RECEIVED)] * 3]
    chat = visit({"data-site": "site_1"}).open()
    chat.ask()
    comment = chat.panel.get_by_label("What was wrong or missing?")
    chat.button(YES).click()
    expect(chat.rated).to_contain_text("Thank you for telling us.")
    expect(comment).to_be_hidden()
    chat.button(NO).click()
    comment.fill(" Too short. ")
    chat.button("Send comment").click()
    expect(comment).to_be_hidden()
    expect(chat.button(NO)).to_be_focused()
    expect(chat.button(NO)).to_have_attribute("aria-pressed", "true")
    expect(chat.button(YES)).to_have_attribute("aria-pressed", "false")
    told = [one for one in api.requests if one.path == "/api/v1/feedback"]
    session = api.asked[0]["context"]["session_id"]
    said = {"answer_id": "ans_7", "session_id": session}
    assert [one.body for one in told] == [
        {**said, "helpful": True},
        {**said, "helpful": False},
        {**said, "helpful": False, "comment": "Too short."},
    ]
    assert {one.headers["X-Site"] for one in told} == {"site_1"}
    chat.page.reload()
    expect(chat.button(NO)).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        (404, "NOT_FOUND", "This answer can no longer be rated."),
        (429, "RATE_LIMIT_EXCEEDED", "You asked a lot in a short time. Please wait a moment."),
        (500, "INTERNAL_ERROR", "That could not be sent. Please try again later."),
    ],
)
def test_what_could_not_be_sent_is_said_and_not_shown_as_sent(
    visit: Visit, api: ScriptedApi, status: int, code: str, words: str
) -> None:
    api.replies += [streamed("So."), refused(status, code)]
    chat = visit().open()
    chat.ask()
    chat.button(NO).click()
    expect(chat.rated).to_contain_text(words)
    expect(chat.button(NO)).to_have_attribute("aria-pressed", "false")


def test_a_comment_that_could_not_be_sent_is_not_lost(visit: Visit, api: ScriptedApi) -> None:
    api.replies += [streamed("So."), whole(RECEIVED), refused(500, "INTERNAL_ERROR")]
    chat = visit().open()
    chat.ask()
    chat.button(NO).click()
    comment = chat.panel.get_by_label("What was wrong or missing?")
    comment.fill("Too short.")
    chat.button("Send comment").click()
    expect(chat.rated).to_contain_text("That could not be sent.")
    expect(comment).to_have_value("Too short.")
    expect(comment).to_be_visible()
