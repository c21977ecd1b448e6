"""What a page's own scripts can do."""

from __future__ import annotations

import jwt
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Watched
from tests.browser.widget.conftest import Visit
from tests.browser.widget.scripted import ScriptedApi, refused, streamed

SECRET = "a secret of thirty-two bytes and more"
LISTEN = """window.heard = [];
for (const name of ['open', 'close', 'question', 'answer', 'error', 'feedback']) {
  Footnote.on(name, (detail) => window.heard.push([name, detail ?? null]));
}"""


def test_it_says_when_it_is_ready(visit: Visit) -> None:
    head = (
        "<script>document.addEventListener('footnote:ready', "
        "() => { window.ready = typeof Footnote.ask; });</script>"
    )
    assert visit(head=head).page.evaluate("window.ready") == "function"


def test_it_tells_what_happens(visit: Visit, api: ScriptedApi) -> None:
    source = {"title": "Kettle", "url": "/k", "excerpt": "24 months."}
    api.replies += [
        streamed("After 24 months [1].", source, id="ans_7"),
        refused(429, "RATE_LIMIT_EXCEEDED", {"retry_after": 9}),
    ]
    chat = visit()
    chat.page.evaluate(LISTEN)
    assert chat.page.evaluate("Footnote.ask('When?', { selection: 'some words' })")
    chat.rated.wait_for()
    chat.fail("Again?")
    chat.page.evaluate("Footnote.close()")
    told = {"n": 1, **source}
    answer = {"question": "When?", "answer": "After 24 months [1].", "sources": [told]}
    assert chat.page.evaluate("window.heard") == [
        ["open", {}],
        ["question", {"question": "When?", "selection": "some words"}],
        ["answer", {**answer, "answer_id": "ans_7"}],
        ["question", {"question": "Again?", "selection": ""}],
        ["error", {"question": "Again?", "code": "RATE_LIMIT_EXCEEDED", "retry_after": 9}],
        ["close", {}],
    ]


def test_a_listener_can_leave_and_one_that_fails_stops_nobody(
    visit: Visit, watched: Watched
) -> None:
    chat = visit()
    chat.page.evaluate(
        """() => {
          window.heard = 0;
          const listener = () => { window.heard += 1; };
          Footnote.on('open', () => { throw new Error('theirs'); });
          Footnote.on('open', listener);
          Footnote.open();
          Footnote.off('open', listener);
          Footnote.close();
        }"""
    )
    chat.page.evaluate("Footnote.open()")
    expect(chat.panel).to_be_visible()
    assert chat.page.evaluate("window.heard") == 1
    assert watched.complaints == ["theirs"] * 2
    watched.complaints.clear()


def test_what_cannot_be_asked_is_left_in_the_input(visit: Visit, api: ScriptedApi) -> None:
    chat = visit()
    assert not chat.page.evaluate("Footnote.ask('x'.repeat(2001))")
    expect(chat.input).to_have_value("x" * 2001)
    assert api.asked == []


@pytest.mark.parametrize(
    ("claims", "tier"),
    [({}, "lightweight"), ({"tier": "premium"}, "premium"), ({"tier": "gold"}, "anonymous")],
)
def test_a_signed_in_visitor_asks_with_a_token(
    visit: Visit, api: ScriptedApi, claims: dict[str, str], tier: str
) -> None:
    api.replies.append(streamed("Hello."))
    token = jwt.encode({"sub": "Zoë", "org": "acme", **claims}, SECRET, "HS256")
    chat = visit().open()
    chat.page.evaluate("token => Footnote.auth(async () => token)", token)
    chat.ask()
    assert api.asked[0]["tier"] == tier
    assert api.requests[-1].headers["Authorization"] == f"Bearer {token}"


def test_what_is_no_token_claims_nothing(visit: Visit, api: ScriptedApi) -> None:
    api.replies += [streamed("Hello.")] * 3
    chat = visit().open()
    for told in ("null", "'opaque'", "'a.b.c'"):
        chat.page.evaluate(f"Footnote.auth(() => {told})")
        chat.ask()
    assert [body["tier"] for body in api.asked] == ["anonymous"] * 3


def test_a_token_that_is_refused_is_asked_for_again_once(visit: Visit, api: ScriptedApi) -> None:
    api.replies += [refused(401, "UNAUTHORIZED"), streamed("Hello."), *[refused(401, "-")] * 2]
    chat = visit().open()
    chat.page.evaluate("let n = 0; Footnote.auth(async () => `token-${n += 1}`)")
    expect(chat.ask()).to_have_text("Hello.")
    assert chat.fail() == "Your sign-in has expired. Please sign in again."
    sent = [one.headers["Authorization"] for one in api.requests if one.method == "POST"]
    assert sent == [f"Bearer token-{n}" for n in (1, 2, 3, 4)]


def test_a_sign_in_that_fails_is_said(visit: Visit, api: ScriptedApi) -> None:
    chat = visit().open()
    chat.page.evaluate("Footnote.auth(async () => { throw new Error('gone'); })")
    assert chat.fail() == "Your sign-in has expired. Please sign in again."
    assert api.asked == []
