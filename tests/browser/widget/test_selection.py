"""Asking about words that are selected on the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.widget.conftest import Visit
from tests.browser.widget.scripted import ScriptedApi, streamed

WARRANTY = "The warranty of the kettle ends after 24 months."
# Long enough for the widget to have looked at what is selected.
A_WHILE = 300


def test_selected_words_are_asked_about(visit: Visit, api: ScriptedApi) -> None:
    api.replies += [streamed("It means that."), streamed("Whatever.")]
    chat = visit()
    chat.page.locator("#warranty").select_text()
    chat.about.click()
    expect(chat.input).to_be_focused()
    expect(chat.chip).to_contain_text(WARRANTY)
    expect(chat.about).to_have_count(0)
    chat.ask("What does it mean?")
    expect(chat.chip).to_be_hidden()
    expect(chat.turns.last.locator(".picked")).to_have_text(WARRANTY)
    chat.ask("And else?")
    first, second = (body["context"] for body in api.asked)
    assert (first["mode"], first["selected_text"]) == ("chat", WARRANTY)
    assert second["mode"] == "browse"
    assert "selected_text" not in second


def test_the_button_stands_at_the_end_of_the_selection(visit: Visit) -> None:
    chat = visit()
    chat.page.locator("#warranty").select_text()
    chat.about.wait_for()
    words = chat.page.locator("#warranty").bounding_box()
    box = chat.about.bounding_box()
    assert words
    assert box
    assert 0 <= box["y"] - words["y"] - words["height"] < 20
    chat.page.evaluate("getSelection().removeAllRanges()")
    expect(chat.about).to_have_count(0)


def test_by_mouse_it_comes_when_the_mouse_is_let_go(visit: Visit) -> None:
    chat = visit()
    box = chat.page.locator("#warranty").bounding_box()
    assert box
    mouse = chat.page.mouse
    mouse.move(box["x"] + 2, box["y"] + 8)
    mouse.down()
    mouse.move(box["x"] + 150, box["y"] + 8, steps=3)
    chat.page.wait_for_timeout(A_WHILE)
    expect(chat.about).to_have_count(0)
    mouse.up()
    expect(chat.about).to_be_visible()


def test_by_keyboard_the_main_button_takes_the_selection_along(visit: Visit) -> None:
    chat = visit()
    chat.select("warranty")
    chat.launch.focus()
    chat.page.keyboard.press("Enter")
    expect(chat.chip).to_contain_text(WARRANTY)


def test_the_selection_can_be_removed(visit: Visit, api: ScriptedApi) -> None:
    api.replies.append(streamed("So."))
    chat = visit()
    chat.select("warranty")
    chat.launch.click()
    chat.button("Remove the selected text").click()
    expect(chat.chip).to_be_hidden()
    expect(chat.input).to_be_focused()
    chat.ask()
    assert api.asked[0]["context"]["mode"] == "browse"


def test_a_long_selection_is_cut_and_that_is_said(visit: Visit, api: ScriptedApi) -> None:
    api.replies.append(streamed("So."))
    chat = visit(article=f"<p id='warranty'>{'🫖' * 6000}</p>")
    chat.select("warranty")
    chat.about.click()
    expect(chat.chip).to_contain_text("cut to 5,000 characters")
    chat.ask()
    assert api.asked[0]["context"]["selected_text"] == "🫖" * 5000


@pytest.mark.parametrize("what", ["#name", "#note"], ids=["an input", "an editor"])
def test_what_somebody_writes_is_never_taken(visit: Visit, what: str) -> None:
    chat = visit()
    chat.page.locator(what).select_text()
    chat.page.wait_for_timeout(A_WHILE)
    expect(chat.about).to_have_count(0)
    chat.launch.click()
    expect(chat.chip).to_be_hidden()


def test_an_answer_that_is_selected_is_not_the_pages(visit: Visit, api: ScriptedApi) -> None:
    api.replies.append(streamed("An answer to copy."))
    chat = visit().open()
    chat.ask().select_text()
    chat.page.wait_for_timeout(A_WHILE)
    expect(chat.about).to_have_count(0)
