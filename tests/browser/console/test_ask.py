"""Questions that are tried in the console, and how their answers came about."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.conftest import Watched
from tests.browser.console.conftest import Open
from tests.browser.console.steps import ask
from tests.conftest import Server
from tests.wire.platform.questions import NEWTS, QUESTION, UNANSWERABLE, tell
from tests.wire.platform.writers import Writer


def test_an_answer_is_explained(open_console: Open, server: Server) -> None:
    tell(server.http)
    page = open_console()
    answer = ask(page, QUESTION)
    expect(answer).to_contain_text("Answered")
    expect(answer.locator("blockquote").first).to_contain_text("140 euros a night")
    expect(page.get_by_role("status")).to_contain_text("Answered, with")
    story = page.get_by_role("region", name="How this came about")
    stages = story.get_by_role("list", name="Stages").get_by_role("listitem")
    names = ["Found", "Fused", "Reranked", "In the prompt", "Relevant", "Cited"]
    assert [stage.locator(".name").text_content() for stage in stages.all()] == names
    expect(stages.first).to_contain_text("3 by meaning, 2 by words")
    expect(stages.first).to_contain_text("ms")
    expect(story.get_by_role("heading", name="Why it answered")).to_be_visible()
    expect(story.get_by_role("img", name="Grounding score 0.9")).to_be_visible()
    expect(story.get_by_text("Hotel rooms cost up to 140 euros a night.").first).to_be_visible()
    candidates = story.locator(".candidates > li")
    expect(candidates).to_have_count(3)
    expect(candidates.first).to_contain_text("Hotels")
    expect(candidates.first.locator(".badge")).to_have_text("[1] cited")
    expect(candidates.last.locator(".badge")).to_have_text("dropped as irrelevant")


def test_what_topk_leaves_out_is_told(open_console: Open, server: Server) -> None:
    tell(server.http)
    page = open_console()
    page.get_by_label("Passages (topK)").fill("1")
    ask(page, QUESTION)
    expect(page.locator(".ends")).to_contain_text("2 beyond topK")


def test_what_repeats_another_passage_is_told(open_console: Open, server: Server) -> None:
    tell(server.http)
    again = {"source": "s", "path": "/again", "title": "Again", "text": NEWTS}
    server.http.post("/api/rag/ingest", json=again)
    page = open_console()
    ask(page, "Where do newts sleep in winter?")
    expect(page.locator(".ends")).to_contain_text("1 repeats another")


def test_an_abstention_says_why(open_console: Open, server: Server) -> None:
    tell(server.http)
    page = open_console()
    answer = ask(page, UNANSWERABLE)
    expect(answer).to_contain_text("Not answered")
    expect(answer).to_contain_text("The documents do not say.")
    expect(page.get_by_role("heading", name="Why it did not answer")).to_be_visible()
    expect(page.get_by_role("list", name="What is missing")).to_contain_text("emperor")


def test_strict_mode_refuses_and_says_why(open_console: Open, server: Server) -> None:
    tell(server.http)
    page = open_console()
    page.get_by_label("Strict").check()
    answer = ask(page, UNANSWERABLE)
    expect(answer).to_contain_text("Refused by strict mode")
    expect(page.get_by_role("heading", name="Why it did not answer")).to_be_visible()


def test_who_has_no_documents_is_told_so(open_console: Open) -> None:
    page = open_console()
    answer = ask(page, QUESTION)
    expect(answer).to_contain_text("Nothing was found that has to do with the question.")
    expect(page.get_by_text("Nothing was found that could hold an answer.")).to_be_visible()


def test_what_speaks_against_a_written_sentence_is_told(
    watched: Watched, start: Callable[..., Server]
) -> None:
    wrong = "Hotel rooms in Paris cost up to 990 euros a night [1]."
    server = start(answerer=Writer(f"Hotel rooms cost up to 140 euros a night [1]. {wrong}"))
    tell(server.http)
    page = watched.open(f"{server.url}/console")
    page.get_by_label("Strict").check()
    answer = ask(page, QUESTION)
    expect(answer).to_contain_text("written by")
    expect(answer.locator(".said")).not_to_contain_text("990")
    against = page.locator("li").filter(has_text="Left out:")
    expect(against).to_contain_text("990 euros")
    expect(against).to_contain_text("it has a number that its sources lack")


def test_quotes_of_one_source_stand_under_one_number(open_console: Open, server: Server) -> None:
    text = (
        "Newts sleep under stones in winter.\n\nRain falls.\n\nIn winter some newts sleep in mud."
    )
    body = {"source": "s", "path": "/n", "title": "Newts", "text": text}
    server.http.post("/api/rag/ingest", json=body)
    answer = ask(open_console(), "Where do newts sleep in winter?")
    expect(answer.locator(".source .number")).to_have_text(["1"])
    quotes = answer.locator(".source .quote")
    expect(quotes).to_have_count(2)
    for number, marker in enumerate(answer.get_by_role("button", name="Source 1: Newts").all()):
        marker.click()
        expect(quotes.nth(number)).to_be_focused()


def test_one_data_source_can_be_asked_alone(open_console: Open, server: Server) -> None:
    tell(server.http)
    server.http.post("/api/rag/sources", json={"name": "Empty", "visibility": "public"})
    page = open_console()
    page.get_by_label("Search in").select_option("Empty")
    expect(ask(page, QUESTION)).to_contain_text("Not answered")


def test_a_reload_shows_the_question_again_and_asks_nothing(
    open_console: Open, server: Server
) -> None:
    tell(server.http)
    page = open_console()
    ask(page, QUESTION)
    page.reload()
    expect(page.get_by_label("Your question")).to_have_value(QUESTION)
    expect(page.get_by_role("region", name="Answer")).to_have_count(0)
