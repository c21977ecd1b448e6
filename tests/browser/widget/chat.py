"""What a visitor sees of the widget, and does with it."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page

FOCUSED = """() => {
  let node = document.activeElement;
  while (node.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
  return node.getAttribute('aria-label') || node.id || node.textContent.trim() || node.className;
}"""
# All that the shadow tree holds, as a page's own script could see it.
SHADOW = "document.querySelector('footnote-widget').shadowRoot"


class Chat:
    """A page with the widget."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.launch = page.locator(".launch")
        self.panel = page.get_by_role("dialog")
        self.input = self.panel.locator(".box textarea")
        self.turns = self.panel.locator(".turn")
        self.answer = self.turns.last.locator(".said")
        self.rated = self.turns.last.locator(".rate")
        self.problem = self.turns.last.locator(".bad p")
        self.cards = self.turns.last.locator(".card")
        self.live = self.panel.locator("[aria-live]")
        self.about = page.locator(".about")
        self.chip = self.panel.locator(".chip")

    def open(self) -> Chat:
        self.launch.click()
        self.panel.wait_for()
        return self

    def type(self, question: str) -> None:
        self.input.fill(question)
        self.input.press("Enter")

    def ask(self, question: str = "When does the warranty end?") -> Locator:
        """The answer, when all of it is there."""
        self.type(question)
        self.rated.wait_for()
        return self.answer

    def fail(self, question: str = "When does the warranty end?") -> str:
        """What is said instead of an answer."""
        self.type(question)
        return self.problem.inner_text()

    def button(self, name: str) -> Locator:
        return self.panel.get_by_role("button", name=name, exact=True)

    def select(self, what: str) -> None:
        """Mark all of an element of the page."""
        self.page.locator(f"#{what}").evaluate("node => getSelection().selectAllChildren(node)")

    def focused(self) -> str:
        """What has the focus, in whatever tree."""
        return str(self.page.evaluate(FOCUSED))

    def count(self, selector: str) -> int:
        """How many such elements the widget has."""
        return int(self.page.evaluate(f"s => {SHADOW}.querySelectorAll(s).length", selector))

    def style(self, selector: str, name: str) -> Any:
        return self.page.evaluate(
            f"([s, n]) => getComputedStyle({SHADOW}.querySelector(s))[n]", [selector, name]
        )
