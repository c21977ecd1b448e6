"""Opening, closing, and where the keyboard goes."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.widget.conftest import Gate, Visit
from tests.browser.widget.scripted import ScriptedApi, streamed

SOURCE = {"title": "Kettle", "url": "/docs/kettle", "excerpt": "Ends after 24 months."}


def test_the_button_opens_a_labelled_dialog_and_focus_goes_in_and_back(visit: Visit) -> None:
    chat = visit().open()
    expect(chat.panel).to_have_accessible_name("Ask a question")
    expect(chat.input).to_be_focused()
    expect(chat.launch).to_be_hidden()
    chat.button("Close").click()
    expect(chat.panel).to_be_hidden()
    expect(chat.launch).to_be_focused()


def test_escape_closes_and_returns_to_what_had_the_focus(visit: Visit) -> None:
    chat = visit()
    chat.page.locator("#before").focus()
    chat.page.evaluate("Footnote.open()")
    expect(chat.input).to_be_focused()
    chat.page.keyboard.press("Escape")
    expect(chat.panel).to_be_hidden()
    assert chat.focused() == "before"


@pytest.mark.parametrize("key", ["Tab", "Shift+Tab"])
def test_tab_goes_round_inside(visit: Visit, api: ScriptedApi, key: str) -> None:
    api.replies.append(streamed("It ends [1].", SOURCE))
    chat = visit().open()
    chat.ask()
    seen = []
    for _ in range(20):
        chat.page.keyboard.press(key)
        seen.append(chat.focused())
        if chat.input.evaluate("node => node.getRootNode().activeElement === node"):
            break
    assert len(seen) == 9
    names = {"New conversation", "Close", "Conversation", "Source 1: Kettle", "Send"}
    assert names | {"Yes, it was helpful", "No, it was not helpful"} <= set(seen)


def test_everything_can_be_done_by_keyboard_alone(visit: Visit, api: ScriptedApi) -> None:
    api.replies += [streamed("After 24 months [1].", SOURCE), streamed("Yes.")]
    chat = visit()
    press = chat.page.keyboard.press
    chat.launch.focus()
    press("Enter")
    expect(chat.input).to_be_focused()
    chat.page.keyboard.type("One line")
    press("Shift+Enter")
    chat.page.keyboard.type("and another")
    press("Enter")
    chat.rated.wait_for()
    assert api.asked[0]["message"] == "One line\nand another"
    expect(chat.input).to_have_value("")
    expect(chat.input).to_be_focused()
    press("Escape")
    expect(chat.launch).to_be_focused()


def test_enter_while_a_word_is_composed_does_not_send(visit: Visit, api: ScriptedApi) -> None:
    chat = visit().open()
    chat.input.fill("かな")
    chat.input.dispatch_event("keydown", {"key": "Enter", "isComposing": True})
    expect(chat.input).to_have_value("かな")
    assert api.asked == []


def test_what_is_typed_is_not_the_pages_shortcut(visit: Visit) -> None:
    chat = visit().open()
    chat.page.evaluate(
        "window.heard = 0; document.addEventListener('keydown', () => { window.heard += 1; })"
    )
    chat.input.press("s")
    assert chat.page.evaluate("window.heard") == 0


def test_a_new_conversation_forgets_the_old_one(visit: Visit, api: ScriptedApi) -> None:
    api.replies += [streamed("One."), streamed("Two.")]
    chat = visit().open()
    chat.ask()
    chat.button("New conversation").click()
    expect(chat.turns).to_have_count(0)
    expect(chat.panel.get_by_text("What would you like to know?")).to_be_visible()
    chat.ask()
    first, second = (body["context"]["session_id"] for body in api.asked)
    assert first != second


def test_a_new_conversation_stops_the_answer_of_the_old_one(
    visit: Visit, api: ScriptedApi, gate: Gate
) -> None:
    api.replies += [gate.reply, streamed("Another.")]
    chat = visit().open()
    chat.type("Anything?")
    expect(chat.answer).to_have_text("First.")
    chat.button("New conversation").click()
    expect(chat.turns).to_have_count(0)
    expect(chat.ask()).to_have_text("Another.")


def test_the_finished_answer_and_errors_are_announced_and_not_the_pieces(
    visit: Visit, api: ScriptedApi, gate: Gate
) -> None:
    api.replies.append(gate.reply)
    chat = visit().open()
    chat.type("Anything?")
    expect(chat.answer).to_have_text("First.")
    expect(chat.live).to_have_text("Looking it up…")
    gate.open.set()
    expect(chat.live).to_have_text("Answer: First. Second.")
