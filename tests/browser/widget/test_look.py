"""How it looks: what the site, the page and the visitor want."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.widget.chat import SHADOW
from tests.browser.widget.conftest import Visit
from tests.browser.widget.scripted import ScriptedApi, streamed

PHONE = {"viewport": {"width": 375, "height": 667}, "has_touch": True, "is_mobile": True}
WHITE, DARK = "rgb(255, 255, 255)", "rgb(22, 24, 29)"
ARABIC = {"title": "اسأل المستندات", "open": "اسأل سؤالاً", "placeholder": "اكتب سؤالك هنا…"}


@pytest.mark.parametrize(
    ("scheme", "said", "colour"),
    [
        ("light", {}, WHITE),
        ("dark", {}, DARK),
        ("light", {"data-theme": "dark"}, DARK),
        ("dark", {"data-theme": "light"}, WHITE),
    ],
)
def test_light_and_dark(visit: Visit, scheme: str, said: dict[str, str], colour: str) -> None:
    chat = visit(said, color_scheme=scheme).open()
    assert chat.style(".panel", "backgroundColor") == colour


def test_it_follows_a_visitor_who_turns_the_light_off(visit: Visit) -> None:
    chat = visit(color_scheme="light").open()
    chat.page.emulate_media(color_scheme="dark")
    expect(chat.panel).to_have_css("background-color", DARK)


def test_the_page_sets_colours_radius_font_and_position(visit: Visit) -> None:
    style = (
        "<style>:root { --footnote-accent: rgb(255, 210, 0); --footnote-radius: 3px;"
        " --footnote-font: monospace; --footnote-left: 40px; --footnote-right: auto;"
        " --footnote-bottom: 60px }</style>"
    )
    chat = visit(head=style, viewport={"width": 800, "height": 600})
    assert chat.style(".launch", "backgroundColor") == "rgb(255, 210, 0)"
    # What stands on a light accent is dark.
    assert chat.style(".launch", "color") == "color(xyz-d65 0 0 0)"
    box = chat.launch.bounding_box()
    assert box
    assert (box["x"], box["y"] + box["height"]) == (40, 540)
    chat.open()
    assert chat.style(".panel", "borderRadius") == "3px"
    assert chat.style("h2", "fontFamily") == "monospace"


def test_the_site_has_a_look_that_is_asked_for_when_it_is_opened(
    visit: Visit, api: ScriptedApi
) -> None:
    api.look = {
        "accent": "#0f766e",
        "title": "Kettle help",
        "greeting": "Hello!",
        "suggestions": ["How long is the warranty?", 7, " ", "What else?"],
    }
    api.replies.append(streamed("24 months."))
    chat = visit({"data-site": "site_1"}).open()
    expect(chat.panel).to_have_accessible_name("Kettle help")
    expect(chat.panel.get_by_text("Hello!")).to_be_visible()
    assert chat.style(".go", "backgroundColor") != chat.style(".launch", "backgroundColor")
    expect(chat.panel.locator(".idea")).to_have_text(["How long is the warranty?", "What else?"])
    chat.panel.locator(".idea").first.click()
    chat.rated.wait_for()
    assert api.asked[0]["message"] == "How long is the warranty?"
    chat.page.reload()
    assert chat.style(".launch", "backgroundColor") == "rgb(15, 118, 110)"


@pytest.mark.parametrize(
    "look",
    [
        None,
        {"accent": "red; background: url(https://x.example)", "title": 7, "suggestions": "x"},
        {"accent": "env(a,url(//x.example/x))", "title": 7},
        {"accent": "transparent"},
        {"accent": "var(--x)", "title": "x" * 101, "suggestions": [{}], "greeting": None},
    ],
    ids=["none", "odd", "an address", "nothing to be seen", "oversized"],
)
def test_a_look_that_is_none_is_as_good_as_none(
    visit: Visit, api: ScriptedApi, look: dict[str, Any] | None
) -> None:
    api.look = look
    chat = visit({"data-site": "site_1"})
    with chat.page.expect_response("**/look"):
        chat.open()
    expect(chat.panel).to_have_accessible_name("Ask a question")
    assert chat.style(".launch", "backgroundColor") == "rgb(68, 83, 212)"
    expect(chat.panel.locator(".idea")).to_have_count(0)


def test_texts_and_suggestions_are_the_pages_first(visit: Visit, api: ScriptedApi) -> None:
    api.look = {"title": "The site's", "greeting": "The site's", "suggestions": ["The site's"]}
    texts = {"title": "Frag uns", "send": "Senden", "no_such_text": "x", "close": 7}
    said = {
        "data-site": "site_1",
        "data-texts": json.dumps(texts),
        "data-suggestions": '["Wie lange gilt die Garantie?"]',
    }
    chat = visit(said, html='lang="de"')
    with chat.page.expect_response("**/look"):
        chat.open()
    expect(chat.panel).to_have_accessible_name("Frag uns")
    expect(chat.button("Senden")).to_be_visible()
    expect(chat.button("Close")).to_be_visible()
    expect(chat.panel.locator(".idea")).to_have_text(["Wie lange gilt die Garantie?"])
    expect(chat.panel.get_by_text("The site's")).to_have_count(1)
    assert chat.page.evaluate(f"{SHADOW}.querySelector('.root').lang") == "de"


@pytest.mark.parametrize("by", ["page", "attribute"])
def test_right_to_left(visit: Visit, api: ScriptedApi, by: str) -> None:
    api.replies.append(streamed("تنتهي الضمانة بعد 24 شهرا.\n\nThe *English* name."))
    said = {"data-texts": json.dumps(ARABIC, ensure_ascii=False)}
    html = 'lang="ar"'
    if by == "page":
        html += ' dir="rtl"'
    else:
        said["data-dir"] = "rtl"
    chat = visit(said, html=html, viewport={"width": 900, "height": 700}).open()
    box = chat.panel.bounding_box()
    close = chat.button("Close").bounding_box()
    assert box
    assert close
    assert box["x"] == 20
    assert close["x"] < box["x"] + 40
    chat.ask("متى تنتهي الضمانة؟")
    first, second = chat.answer.locator("p").all()
    direction = "node => getComputedStyle(node).direction"
    assert (first.evaluate(direction), second.evaluate(direction)) == ("rtl", "ltr")


def test_on_a_phone_it_takes_all_of_the_screen(visit: Visit, api: ScriptedApi) -> None:
    api.replies.append(streamed("Yes [1].", {"title": "K", "url": "/k", "excerpt": ""}))
    chat = visit(**PHONE, reduced_motion="reduce")
    chat.launch.tap()
    chat.panel.wait_for()
    box = chat.panel.bounding_box()
    assert box == {"x": 0, "y": 0, "width": 375, "height": 667}
    chat.ask()
    small = chat.page.evaluate(
        f"""[...{SHADOW}.querySelectorAll('.panel button')]
        .filter((one) => one.getClientRects().length)
        .map((one) => one.getBoundingClientRect())
        .filter((one) => one.width < 44 || one.height < 44).length"""
    )
    assert small == 0
    assert chat.style(".box textarea", "fontSize") == "16px"
    # The keyboard would cover the answer.
    assert chat.focused() != "Ask a question…"
    # What is followed must not be covered, now or on the page that it leads to.
    chat.cards.first.click()
    chat.page.wait_for_url("**/k*")
    expect(chat.launch).to_be_visible()
    expect(chat.panel).to_be_hidden()


def test_whoever_wants_no_motion_gets_none(visit: Visit) -> None:
    still = visit(reduced_motion="reduce").open()
    assert still.style(".panel", "animationName") == "none"
    assert still.style(".log", "scrollBehavior") == "auto"


def test_with_forced_colours_buttons_have_borders(visit: Visit) -> None:
    chat = visit(forced_colors="active").open()
    assert chat.style(".go", "borderTopStyle") == "solid"
    assert chat.style(".go", "borderTopWidth") == "1px"
