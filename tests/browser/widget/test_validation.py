"""What the contract demands of a question is checked before it is sent."""

from __future__ import annotations

from uuid import UUID

from playwright.sync_api import expect

from tests.browser.widget.conftest import Visit
from tests.browser.widget.scripted import ScriptedApi, streamed


def test_a_question_is_sent_as_the_contract_has_it(visit: Visit, api: ScriptedApi) -> None:
    api.replies.append(streamed("So."))
    chat = visit({"data-site": "site_7"}).open()
    chat.ask("  What is a kettle?\n ")
    (body,) = api.asked
    session = body["context"].pop("session_id")
    assert UUID(session).version == 4
    # What a visitor has sent with the address stays there.
    page = chat.page.url.partition("?")[0]
    assert body == {
        "message": "What is a kettle?",
        "context": {"mode": "browse", "page_url": page},
        "tier": "anonymous",
    }
    assert api.requests[-1].headers["X-Site"] == "site_7"
    assert "Authorization" not in api.requests[-1].headers


def test_nothing_is_sent_of_white_space(visit: Visit, api: ScriptedApi) -> None:
    chat = visit().open()
    for blank in ("", "  \n\t", "\x1c\x85"):
        chat.type(blank)
        expect(chat.button("Send")).to_have_attribute("aria-disabled", "true")
    expect(chat.turns).to_have_count(0)
    assert api.asked == []


def test_characters_are_counted_as_the_server_counts_them(visit: Visit, api: ScriptedApi) -> None:
    api.replies.append(streamed("So."))
    chat = visit().open()
    count = chat.panel.locator(".count")
    chat.input.fill("🫖" * 1799)
    expect(count).to_be_hidden()
    chat.input.fill("🫖" * 1990)
    expect(count).to_have_text("10 characters left")
    chat.input.fill("🫖" * 2001)
    expect(count).to_have_text("1 characters too many")
    expect(chat.live).to_have_text("1 characters too many")
    expect(chat.input).to_have_attribute("aria-invalid", "true")
    chat.input.press("Enter")
    expect(chat.turns).to_have_count(0)
    chat.ask("🫖" * 2000)
    assert [len(body["message"]) for body in api.asked] == [2000]


def test_half_a_character_is_not_sent(visit: Visit, api: ScriptedApi) -> None:
    api.replies.append(streamed("So."))
    chat = visit()
    assert chat.page.evaluate(r"Footnote.ask('half \ud83e of it')")
    chat.rated.wait_for()
    assert api.asked[0]["message"] == "half \ufffd of it"


def test_the_input_grows_to_a_limit(visit: Visit) -> None:
    chat = visit().open()
    height = chat.input.evaluate("node => node.offsetHeight")
    chat.input.fill("a\nb\nc")
    grown = chat.input.evaluate("node => node.offsetHeight")
    chat.input.fill("a\n" * 50)
    most = chat.input.evaluate("node => node.offsetHeight")
    assert height < grown < most < 200
