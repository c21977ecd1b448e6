"""What fails, comes late or was never there: the console says so and goes on."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Route, expect

from tests.browser.console.conftest import Open
from tests.browser.console.steps import ask
from tests.conftest import Server
from tests.wire.platform.questions import UNANSWERABLE, tell

LIST = re.compile(r"/api/rag/documents\?")
DOWN = {"error": "Service unavailable", "message": "It does not answer.", "details": {}}


def listed(*names: str, next: str | None = None) -> dict[str, object]:
    """A page of documents, as the API tells it."""
    documents = [
        {
            "documentId": f"doc_{name}", "source": "s", "path": name, "title": name, "tags": [],
            "chunkCount": 1, "dataSourceId": "default", "url": None,
            "createdAt": "2026-11-18T12:00:00Z", "updatedAt": "2026-11-18T12:00:00Z",
        }
        for name in names
    ]  # fmt: skip
    return {"documents": documents, "next": next}


def test_a_page_that_fails_can_be_asked_for_again(open_console: Open) -> None:
    page = open_console("#/sources")
    answers = [(200, listed("one", next="doc_one")), (503, DOWN), (200, listed("two"))]

    def answer(route: Route) -> None:
        status, body = answers.pop(0)
        route.fulfill(status=status, json=body)

    page.route(LIST, answer)
    page.get_by_role("link", name="Documents", exact=True).click()
    page.get_by_role("button", name="Show more").click()
    expect(page.get_by_text("It does not answer.")).to_be_visible()
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("ul.documents > li")).to_have_count(2)
    expect(page.get_by_text("It does not answer.")).to_have_count(0)


def test_a_list_that_fails_is_not_told_to_be_empty(open_console: Open) -> None:
    page = open_console("#/sources")
    page.route(LIST, lambda route: route.fulfill(status=503, json=DOWN))
    page.get_by_role("link", name="Documents", exact=True).click()
    expect(page.get_by_text("It does not answer.")).to_be_visible()
    expect(page.get_by_text("No documents yet")).to_have_count(0)
    page.unroute(LIST)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("No documents yet")).to_be_visible()


def test_an_answer_that_comes_late_does_not_take_the_place_of_the_latest(
    open_console: Open, server: Server, hotels: str
) -> None:
    server.http.post("/api/rag/sources", json={"name": "Empty", "visibility": "public"})
    page = open_console("#/documents")
    rows = page.locator("ul.documents > li")
    expect(rows).to_have_count(1)
    held: list[Route] = []
    page.route(re.compile(r"dataSource=default"), lambda route: held.append(route))
    page.get_by_label("Data source").select_option("Default")
    page.get_by_label("Data source").select_option("Empty")
    expect(rows).to_have_count(0)
    for route in held:
        route.fulfill(json=listed("late"))
    page.wait_for_load_state("networkidle")
    expect(rows).to_have_count(0)


@pytest.mark.parametrize("view", ["constructor", "toString", "__proto__", "nothing"])
def test_an_address_that_names_no_view_shows_the_first(open_console: Open, view: str) -> None:
    page = open_console(f"#/{view}")
    expect(page.get_by_role("heading", name="Ask your documents")).to_be_visible()


def test_feedback_of_a_kind_that_there_is_not_shows_what_was_not_answered(
    open_console: Open,
) -> None:
    page = open_console("#/feedback?show=constructor")
    expect(page.get_by_role("heading", name="Feedback")).to_be_visible()
    expect(page.locator(".empty")).to_be_visible()


def test_a_refusal_is_explained_by_the_one_question(open_console: Open, server: Server) -> None:
    tell(server.http)
    page = open_console()
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url) if "/rag/query" in one.url else None)
    page.get_by_label("Strict").check()
    ask(page, UNANSWERABLE)
    expect(page.get_by_role("region", name="How this came about")).to_be_visible()
    assert len(asked) == 1
