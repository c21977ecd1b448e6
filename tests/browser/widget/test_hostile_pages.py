"""Pages whose policies, styles and scripts are against it."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import HostPage
from tests.browser.widget.chat import Chat
from tests.browser.widget.conftest import ARTICLE, Visit
from tests.browser.widget.scripted import ScriptedApi, streamed

VIEW = {"viewport": {"width": 900, "height": 700}, "reduced_motion": "reduce"}
SOURCE = {"title": "Kettle", "url": "/docs/kettle", "excerpt": "Ends after 24 months."}
STYLES = {
    "unset": "* { all: unset !important }",
    "gone": "div, button, textarea, section, html > * { display: none !important }",
    "undefined": ":not(:defined) { visibility: hidden !important; opacity: 0 !important }",
    "reset": "* { margin: 9px !important; padding: 9px !important; font: 40px serif !important }",
    "huge": "html { font-size: 62px; letter-spacing: 1em; line-height: 4; direction: rtl }",
    "moved": "body { transform: translate(300px, 300px) scale(.5); overflow: hidden; height: 9px }",
    "behind": "main { position: fixed; inset: 0; z-index: 99999999; background: red }",
}
FROZEN = """
for (const name of Object.getOwnPropertyNames(window)) {
  const made = window[name];
  if (typeof made === 'function' && made.prototype) {
    Object.freeze(made.prototype);
    if (/^[A-Z]/.test(name) && name !== 'Window') Object.freeze(made);
  }
}
Object.freeze(Object.getPrototypeOf(async function* () {}));
"""
EXTRAS = """
Array.prototype.extra = Object.prototype.extra = function extra() { return 7; };
String.prototype.extra = Function.prototype.extra = 7;
"""


def looks(chat: Chat) -> list[Any]:
    """Where everything is, and how it is painted."""
    chat.open()
    parts = [chat.panel, chat.input, chat.button("Close"), chat.panel.locator("h2")]
    names = ("display", "visibility", "opacity", "color", "fontSize", "lineHeight", "letterSpacing")
    styles = [chat.style(part, name) for part in (".panel", "h2", ".go") for name in names]
    return [*(part.bounding_box() for part in parts), *styles]


def test_it_looks_the_same_whatever_the_pages_styles_are(visit: Visit, api: ScriptedApi) -> None:
    wanted = looks(visit(**VIEW))
    for name, style in STYLES.items():
        assert looks(visit(head=f"<style>{style}</style>", **VIEW)) == wanted, name


def use(chat: Chat, api: ScriptedApi) -> None:
    """All that there is to do."""
    api.replies += [streamed("After **24** months [1].\n\n- `a`\n- b", SOURCE), streamed("-")]
    chat.select("warranty")
    chat.about.click()
    chat.ask()
    expect(chat.answer.locator("p")).to_have_text("After 24 months1.")
    chat.button("No, it was not helpful").click()
    expect(chat.rated).to_contain_text("Thank you")
    chat.input.fill("x\n" * 20)
    chat.page.reload()
    expect(chat.answer.locator("p")).to_have_text("After 24 months1.")
    chat.page.keyboard.press("Escape")
    chat.button("Close").click()
    expect(chat.launch).to_be_visible()


@pytest.mark.parametrize("script", [FROZEN, EXTRAS], ids=["frozen", "extras"])
def test_it_works_where_prototypes_are_frozen_or_full_of_extras(
    visit: Visit, api: ScriptedApi, host_page: HostPage, script: str
) -> None:
    host_page.files["/first.js"] = script
    use(visit(head='<script src="/first.js"></script>'), api)


def test_a_strict_policy_is_not_violated(
    visit: Visit, api: ScriptedApi, host_page: HostPage
) -> None:
    api.look = {"accent": "#0f766e", "title": "Kettles"}
    host_page.files["/first.js"] = (
        "window.violations = [];"
        "document.addEventListener('securitypolicyviolation', (event) =>"
        " window.violations.push(event.violatedDirective));"
    )
    policy = f"default-src 'self' {api.url}; require-trusted-types-for 'script'; trusted-types"
    chat = visit({"data-site": "site_1"}, head='<script src="/first.js"></script>', policy=policy)
    use(chat, api)
    assert chat.page.evaluate("window.violations") == []
    expect(chat.launch).to_have_css("background-color", "rgb(15, 118, 110)")


def test_a_second_script_does_nothing(visit: Visit, api: ScriptedApi) -> None:
    twice = f'<script src="{api.url}/widget.js" data-site="other" defer></script>'
    chat = visit(head=twice)
    expect(chat.launch).to_have_count(1)


def test_elements_of_the_page_with_our_names_are_not_in_the_way(visit: Visit) -> None:
    article = f'{ARTICLE}<img name="currentScript" alt=""><form id="Footnote"></form>'
    chat = visit(article=article).open()
    expect(chat.panel).to_be_visible()


def test_a_script_without_defer_works_too(visit: Visit, api: ScriptedApi) -> None:
    chat = visit(head=f'<script src="{api.url}/widget.js"></script>')
    expect(chat.launch).to_have_count(1)
    expect(chat.launch).to_be_visible()
