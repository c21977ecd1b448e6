"""The same pages on the deployed stack: what they load and call goes through the gateway."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import MOST_MILLISECONDS, HostPage, Watched
from tests.browser.console.steps import ask, choose, confirm, file, upload
from tests.integration.stack.conftest import Org
from tests.writers import pdf
from tests.writers.story import STORY

pytestmark = pytest.mark.integration

TEXT = "The warranty of the kettle ends after twenty-four months."
PATIENCE = 120_000  # milliseconds: functions are slow to wake on the emulator


@pytest.fixture(autouse=True)
def patient() -> Iterator[None]:
    expect.set_options(timeout=PATIENCE)
    yield
    expect.set_options(timeout=MOST_MILLISECONDS)


def test_a_pdf_is_uploaded_asked_about_and_deleted(watched: Watched, org: Org) -> None:
    page = watched.open(f"{org.running.stack.url}/console")
    page.get_by_label("Token or API key").fill(org.token())
    page.get_by_role("dialog").get_by_role("button", name="Sign in").click()
    expect(page.get_by_text(f"ann of org {org.name}")).to_be_visible()
    choose(page, file("newts.pdf", pdf.write(STORY), "application/pdf"))
    expect(upload(page, "newts.pdf")).to_contain_text("Ready")
    answer = ask(page, "How large is the tank of an adult pair?")
    expect(answer).to_contain_text("eighty litres")
    expect(answer).to_contain_text("page 1")
    page.get_by_role("link", name="Documents", exact=True).click()
    page.get_by_role("button", name="Delete").click()
    confirm(page)
    expect(page.get_by_role("button", name="Delete")).to_have_count(0)
    assert org.paths() == []


def test_a_visitor_is_answered_on_somebodys_page(
    watched: Watched, org: Org, host_page: HostPage
) -> None:
    source = org.source("public")
    kettle = {"id": "kettle", "title": "Kettle", "text": TEXT}
    assert org.ended(org.send(source, kettle)["jobId"])["status"] == "completed"
    body = {"name": "Docs", "origins": [host_page.origin], "data_sources": [source]}
    site = org.http.post("/api/v1/sites", json=body).json()["id"]
    api = org.running.stack.url
    host_page.policy = f"default-src 'self' {api}"
    host_page.html = (
        f'<!doctype html><html lang="en"><title>Docs</title><h1>Kettles</h1>'
        f'<script src="{api}/widget.js" data-site="{site}" defer></script>'
    )
    page = watched.open(host_page.origin)
    page.get_by_role("button", name="Ask a question").click()
    page.get_by_role("textbox").fill("When does the warranty of the kettle end?")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text("twenty-four months")
    expect(page.get_by_role("dialog").get_by_role("link", name="Kettle").first).to_be_visible()
