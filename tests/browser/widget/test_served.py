"""The widget on the real server: asked, answered from documents, rated, and refused."""

from __future__ import annotations

from typing import Any

import httpx
from playwright.sync_api import expect

from rag.model import Draft
from tests.browser.conftest import HostPage, Watched
from tests.browser.widget.chat import Chat
from tests.browser.widget.conftest import Visit
from tests.conftest import Server

QUESTION = "When does the warranty of the kettle end?"


def made(http: httpx.Client, path: str, **body: Any) -> str:
    """The id of what was made."""
    answer = http.post(path, json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def on_a_site(server: Server, visit: Visit, origin: str, documents: bool = True) -> Chat:
    """A visitor of pages of this origin, which may ask about kettles."""
    source = made(server.http, "/api/rag/sources", name="Docs", visibility="public")
    text = "The warranty of the kettle ends after 24 months. It does not cover limescale."
    draft = Draft("docs", "kettle", "Kettle", text, data_source=source, url="/docs/kettle")
    if documents:
        server.footnote.ingestion.ingest("local", draft)
    site = made(server.http, "/api/v1/sites", name="Docs", origins=[origin], data_sources=[source])
    return visit({"data-site": site}, url=server.url).open()


def test_a_question_is_answered_with_its_source_and_rated(
    server: Server, visit: Visit, host_page: HostPage
) -> None:
    chat = on_a_site(server, visit, host_page.origin)
    expect(chat.ask(QUESTION)).to_contain_text("The warranty of the kettle ends after 24 months.")
    expect(chat.cards.first).to_contain_text("Kettle")
    number = chat.answer.get_by_role("link", name="Source 1: Kettle")
    # What is quoted is marked there, from its first words to its last.
    words = "The%20warranty%20of%20the%20kettle,It%20does%20not%20cover%20limescale."
    assert number.evaluate("node => node.href") == (
        f"{host_page.origin}/docs/kettle#:~:text={words}"
    )
    chat.button("No, it was not helpful").click()
    chat.panel.get_by_label("What was wrong or missing?").fill("It is out of date.")
    chat.button("Send comment").click()
    expect(chat.rated).to_contain_text("Thank you for telling us.")
    expect(chat.button("No, it was not helpful")).to_have_attribute("aria-pressed", "true")
    (told,) = server.http.get("/api/v1/feedback").json()["feedback"]
    assert (told["question"], told["helpful"], told["comment"]) == (
        QUESTION,
        False,
        "It is out of date.",
    )
    assert told["page_url"] == f"{host_page.origin}/docs/kettle"


def test_the_eleventh_question_in_a_minute_has_to_wait(
    server: Server, visit: Visit, host_page: HostPage
) -> None:
    chat = on_a_site(server, visit, host_page.origin, documents=False)
    for n in range(10):
        chat.ask(f"What is a newt of kind {n}?")
    assert chat.fail("And another?") == "You asked a lot in a short time. Please wait a moment."
    again = chat.turns.last.get_by_role("button")
    expect(again).to_contain_text("Try again in ")
    seconds = int(again.inner_text().split()[3])
    assert 0 < seconds <= 60
    expect(again).not_to_contain_text(f"Try again in {seconds} s")
    assert int(again.inner_text().split()[3]) < seconds


def test_pages_of_other_origins_get_nothing(server: Server, visit: Visit, watched: Watched) -> None:
    chat = on_a_site(server, visit, "https://docs.example")
    assert chat.fail() == "The answering service cannot be reached at the moment."
    assert all("CORS" in one for one in watched.complaints)
    watched.complaints.clear()
