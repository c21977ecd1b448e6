"""Pages, servers and other scripts that mean no good, or know no better."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.widget.conftest import Visit
from tests.browser.widget.scripted import Reply, ScriptedApi, event, streamed

EVENTS = "text/event-stream"
BROKEN = "The answer broke off before it was complete."


@pytest.mark.parametrize(
    "head",
    [
        '<script src="https://other.example/other-widget.js" type="text/plain"></script>',
        '<img name="currentScript" alt=""><img name="Footnote" alt="">',
    ],
    ids=["another's widget", "elements by those names"],
)
def test_it_asks_where_its_own_script_is_from(visit: Visit, api: ScriptedApi, head: str) -> None:
    api.replies.append(streamed("Here."))
    chat = visit(article=f"<p>{head}</p>").open()
    chat.ask()
    assert len(api.asked) == 1


@pytest.mark.parametrize(
    "endless",
    [
        event(type="chunk", text="x" * 100_000),
        b"data: " + b"x" * 100_000,
        b"data: x\n" * 10_000,
        b": still there\n\n" * 10_000,
    ],
    ids=["pieces", "an event", "lines", "comments"],
)
def test_an_answer_without_end_is_given_up(visit: Visit, api: ScriptedApi, endless: bytes) -> None:
    api.replies += [Reply([endless] * 80, kind=EVENTS, cut=True), streamed("Better.")]
    chat = visit().open()
    assert chat.fail() == BROKEN
    chat.button("Try again").click()
    expect(chat.answer).to_have_text("Better.")


def test_half_a_character_spoils_nothing(visit: Visit, api: ScriptedApi) -> None:
    excerpt = "one two three \\ud800 four"
    text = '{"type": "complete", "answer": "Yes [1].", "answer_id": "ans_1", "sources": ['
    source = f'{{"title": "K", "url": "/k", "excerpt": "{excerpt}", "n": 1}}'
    api.replies.append(Reply([f"data: {text}{source}]}}\n\n".encode()], kind=EVENTS))
    chat = visit().open()
    chat.ask()
    chat.page.reload()
    expect(chat.cards).to_have_count(1)


def test_a_link_says_where_it_leads(visit: Visit, api: ScriptedApi) -> None:
    """What stands before an @ looks like a host, and is none."""
    api.replies.append(streamed("See [here](https://bank.example@evil.example/) at once."))
    chat = visit().open()
    expect(chat.ask()).to_have_text("See here at once.")
    expect(chat.answer.get_by_role("link")).to_have_count(0)


def test_a_question_goes_nowhere_else(visit: Visit, api: ScriptedApi) -> None:
    elsewhere = Reply([b""], 307, headers={"Location": "https://elsewhere.example/"})
    api.replies.append(elsewhere)
    chat = visit().open()
    assert chat.fail() == "The answering service cannot be reached at the moment."
