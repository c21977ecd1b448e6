"""Signing in, where the API wants to know who calls."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from rag.model import Principal
from tests.browser.conftest import Watched
from tests.browser.console.conftest import Open
from tests.conftest import Server


@pytest.fixture
def guarded(start: Callable[..., Server]) -> Server:
    return start({"AUTH": "required"})


def token(server: Server) -> str:
    return server.token("ann", "acme")["Authorization"].removeprefix("Bearer ")


def sign_in(page: Page, secret: str) -> None:
    dialog = page.get_by_role("dialog", name="Sign in")
    dialog.get_by_label("Token or API key").fill(secret)
    dialog.get_by_role("button", name="Sign in").click()


def test_whoever_has_a_token_comes_in_and_goes(watched: Watched, guarded: Server) -> None:
    page = watched.open(f"{guarded.url}/console#/sources")
    dialog = page.get_by_role("dialog", name="Sign in")
    expect(dialog).to_contain_text("Credentials are required")
    expect(dialog.get_by_label("Token or API key")).to_be_focused()
    sign_in(page, "eyJhbGciOiJIUzI1NiJ9.e30.bad")
    expect(dialog.get_by_role("alert")).to_have_text("The bearer token is invalid or expired.")
    sign_in(page, token(guarded))
    expect(page.get_by_text("ann of org acme")).to_be_visible()
    expect(page.get_by_role("link", name="Default")).to_be_visible()
    page.reload()
    expect(page.get_by_text("ann of org acme")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(dialog).to_be_visible()
    expect(page.get_by_text("ann of org acme")).to_have_count(0)


def test_a_key_opens_too_and_is_kept_for_the_tab_alone(watched: Watched, guarded: Server) -> None:
    key = guarded.footnote.api_keys.create(Principal("bob", "acme"))
    page = watched.open(f"{guarded.url}/console#/documents")
    sign_in(page, "fn_unknown")
    expect(page.get_by_role("alert").last).to_have_text("This API key is not known.")
    sign_in(page, key)
    expect(page.get_by_text("Signed in with an API key")).to_be_visible()
    assert page.evaluate("localStorage.length") == 0
    assert page.context.cookies() == []


def test_who_does_not_sign_in_is_shown_how_to(watched: Watched, guarded: Server) -> None:
    page = watched.open(f"{guarded.url}/console#/jobs")
    expect(page.get_by_role("dialog", name="Sign in")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("You are not signed in")).to_be_visible()
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("dialog", name="Sign in")).to_be_visible()


def test_with_open_doors_nobody_is_asked(open_console: Open) -> None:
    page = open_console()
    expect(page.get_by_text("Owner of org local")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
