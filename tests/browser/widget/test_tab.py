"""The conversation is the tab's: it survives a reload, and is nobody else's."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from tests.browser.widget.chat import Chat
from tests.browser.widget.conftest import Gate, Visit
from tests.browser.widget.scripted import ScriptedApi, refused, streamed

SOURCE = {"title": "Kettle", "url": "/docs/kettle", "excerpt": "Ends after 24 months."}
FORBIDDEN = "Object.defineProperty(window, 'sessionStorage', { get() { throw new Error('no'); } });"


def test_it_survives_a_reload_and_not_another_tab(visit: Visit, api: ScriptedApi) -> None:
    api.replies += [streamed("After **24** months [1].", SOURCE), streamed("Yes.")]
    chat = visit().open()
    chat.ask()
    chat.input.fill("A draft")
    chat.page.reload()
    expect(chat.answer).to_have_text("After 24 months1.")
    expect(chat.cards).to_have_count(1)
    expect(chat.input).to_have_value("A draft")
    # Nobody has asked for the focus this time.
    assert chat.page.evaluate("document.activeElement === document.body")
    chat.ask()
    first, second = (body["context"]["session_id"] for body in api.asked)
    assert first == second
    page = chat.page.context.new_page()
    page.goto(chat.page.url)
    other = Chat(page).open()
    expect(other.turns).to_have_count(0)


def test_a_question_that_was_left_alone_can_be_asked_again(
    visit: Visit, api: ScriptedApi, gate: Gate
) -> None:
    api.replies += [gate.reply, streamed("Here.")]
    chat = visit().open()
    chat.type("Anything?")
    expect(chat.answer).to_have_text("First.")
    chat.page.reload()
    expect(chat.problem).to_have_text("You left the page before the answer was there.")
    chat.button("Try again").click()
    expect(chat.answer).to_have_text("Here.")


def test_a_count_down_goes_on_after_a_reload(visit: Visit, api: ScriptedApi) -> None:
    api.replies.append(refused(429, "RATE_LIMIT_EXCEEDED", {"retry_after": 3000}))
    chat = visit().open()
    chat.fail()
    chat.page.reload()
    expect(chat.turns.last.get_by_role("button")).to_contain_text("Try again in 29")


def test_what_others_wrote_there_is_not_believed(visit: Visit, api: ScriptedApi) -> None:
    api.replies += [streamed("Fine.")] * 3
    chat = visit()
    link = {"n": 1, "title": 7, "url": "javascript:alert(1)", "excerpt": None}
    turns = [
        None,
        7,
        {"question": ""},
        {"question": "Kept?", "answer": "<b>Yes</b> [1]", "sources": [link, None], "helpful": 3},
        {"question": "Failed?", "code": "constructor", "until": "never"},
        {"question": "Odd?", "code": {"toString": 1}, "session": {"toString": 1}},
    ]
    wrong = {"session": "not-a-uuid", "turns": turns, "draft": 7, "selection": {}, "open": True}
    for stored in (
        "{",
        "null",
        "[]",
        '{"session": {"toString": 1}}',
        '{"turns": {"length": 3}, "look": []}',
        json.dumps(wrong),
    ):
        chat.page.evaluate("text => sessionStorage.setItem('footnote:', text)", stored)
        chat.page.reload()
        chat.launch.or_(chat.panel).filter(visible=True).wait_for()
    expect(chat.turns).to_have_count(3)
    expect(chat.turns.first.locator(".said")).to_have_text("<b>Yes</b>1")
    assert chat.count("a[href]") == 0
    chat.ask("Works?")
    assert len(api.asked[0]["context"]["session_id"]) == 36


def test_without_storage_it_is_kept_as_long_as_the_page(visit: Visit, api: ScriptedApi) -> None:
    api.replies.append(streamed("Fine."))
    chat = visit(head=f"<script>{FORBIDDEN}</script>").open()
    expect(chat.ask()).to_have_text("Fine.")


def test_sites_do_not_share_a_conversation(visit: Visit, api: ScriptedApi) -> None:
    api.replies.append(streamed("One."))
    chat = visit({"data-site": "site_1"}).open()
    chat.ask()
    key = chat.page.evaluate("Object.keys(sessionStorage)")
    assert key == ["footnote:site_1"]
