"""Documents with tables, headings, lists and code, as the console draws them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.console.conftest import Open
from tests.browser.console.steps import ask
from tests.conftest import Server

ROOMS = """\
| City | Most \\| night | Notes |
| --- | ---: | --- |
| Paris | 140 | **with** `breakfast` |
| Rome |  | 🫖 tea |"""
TEXT = f"""\
# Travel

#### Rooms

{ROOMS}

Book
early.

- by phone
  or letter
    - or in person
3. third

```py
# no heading
| no | row |
```

| Contact: | <b>Ann</b> |

| A ragged | row | alone |"""
STEADY = {
    "a row of a thousand cells": "|" * 1000,
    "backticks": "`" * 9_000 + "\n" + "` " * 9_000,
    "stars": "**a" * 9_000 + "*" * 9_000,
    "fences": "\n".join("`" * size for size in range(300, 3, -1)),
    "bars in quotes": "“|" * 9_000,
    "spaces": "#" + " " * 20_000 + "\n" + "- " * 9_000,
}


def opened(
    open_console: Open, server: Server, text: str, query: str = "", **context: object
) -> Page:
    body = {"source": "s", "path": "/t", "title": "Travel costs", "text": text}
    id = server.http.post("/api/rag/ingest", json=body).json()["documentId"]
    return open_console(f"#/documents/{id}{query}", **context)


def words(text: str, whole: str = TEXT) -> str:
    """The query of an address that names these words."""
    start = whole.index(text)
    return f"?from={start}&to={start + len(text)}"


def test_the_blocks_of_a_document_are_drawn(open_console: Open, server: Server) -> None:
    page = opened(open_console, server, TEXT)
    text = page.get_by_role("region", name="Text of the document")
    expect(text.get_by_role("heading", name="Travel", level=3)).to_be_visible()
    expect(text.get_by_role("heading", name="Rooms", level=4)).to_be_visible()
    rooms, contact, ragged = text.get_by_role("table").all()
    expect(rooms.get_by_role("columnheader")).to_have_text(["City", "Most | night", "Notes"])
    cells = ["Paris", "140", "with breakfast", "Rome", "", "🫖 tea"]
    expect(rooms.get_by_role("cell")).to_have_text(cells)
    expect(rooms.locator("strong")).to_have_text("with")
    expect(rooms.locator("code")).to_have_text("breakfast")
    expect(contact.get_by_role("cell")).to_have_text(["Contact:", "<b>Ann</b>"])
    expect(ragged.get_by_role("cell")).to_have_count(3)
    assert text.locator("p").inner_text() == "Book\nearly."
    items = text.get_by_role("listitem")
    assert items.all_inner_texts() == ["by phone\nor letter", "or in person", "third"]
    expect(items.last).to_have_js_property("value", 3)
    assert text.locator("pre").inner_text() == "# no heading\n| no | row |"


def test_exactly_the_words_that_an_address_names_are_marked(
    open_console: Open, server: Server
) -> None:
    page = opened(open_console, server, TEXT, words("night | Notes |\n| --- | ---: | --- |\n| Par"))
    expect(page.locator("mark")).to_have_text(["night", "Notes", "Par"])
    expect(page.locator("mark").first).to_be_focused()
    for marked in ("🫖 tea", "ith", "heading", "in person", "arly", "ed | row"):
        page.evaluate("query => { location.hash = location.hash.split('?')[0] + query; }",
                      words(marked))  # fmt: skip
        expect(page.locator("mark")).to_have_text(marked.split(" | "))


def test_a_table_in_an_answer_leads_to_its_source(open_console: Open, server: Server) -> None:
    body = {"source": "s", "path": "/t", "title": "Travel costs", "text": TEXT}
    server.http.post("/api/rag/ingest", json=body)
    page = open_console()
    answer = ask(page, "What does a room in Paris cost a night?")
    said, source = answer.locator(".said"), answer.locator(".source")
    expect(source).to_have_count(1)
    for place in (said, source):
        expect(place.get_by_role("cell", name="Paris")).to_be_visible()
        expect(place).not_to_contain_text("---")
    said.get_by_role("button", name="Source 1").first.click()
    quote = source.get_by_role("group", name="Quote from source 1").first
    expect(quote).to_be_focused()
    quote.get_by_role("link", name="Read these words").click()
    expect(page.locator("mark", has_text="Paris")).to_be_visible()


def test_a_row_that_is_quoted_alone_reads_as_a_line(open_console: Open, server: Server) -> None:
    text = "Rain falls.\n\n| Newts | sleep in winter | under stones |\n\nSnow melts."
    body = {"source": "s", "path": "/n", "title": "Newts", "text": text}
    server.http.post("/api/rag/ingest", json=body)
    answer = ask(open_console(), "Where do newts sleep in winter?")
    expect(answer.locator(".said")).to_contain_text("“Newts · sleep in winter · under stones” 1")
    expect(answer.locator(".quote").get_by_role("cell")).to_have_count(3)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nobody_is_kept_out_of_a_table(
    open_console: Open, server: Server, axe: Callable[[Page], list[str]], scheme: str
) -> None:
    page = opened(open_console, server, TEXT, words("Paris"), color_scheme=scheme)
    expect(page.locator("mark")).to_be_visible()
    assert axe(page) == []
    page.get_by_role("link", name="Ask about it").click()
    ask(page, "What does a room in Paris cost a night?")
    assert axe(page) == []


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_a_wide_table_scrolls_by_itself(open_console: Open, server: Server, direction: str) -> None:
    wide = f"| {' | '.join(f'column-{number}' for number in range(30))} |"
    page = opened(open_console, server, wide, viewport={"width": 375, "height": 667})
    page.evaluate("way => { document.documentElement.dir = way; }", direction)
    table = page.get_by_role("group", name="Table")
    assert table.evaluate("one => one.scrollWidth > one.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    page.get_by_role("region", name="Text of the document").focus()
    page.keyboard.press("Tab")
    expect(table).to_be_focused()


@pytest.mark.parametrize("text", STEADY.values(), ids=STEADY)
def test_whatever_a_text_is_made_of_it_is_shown(
    open_console: Open, server: Server, text: str
) -> None:
    page = opened(open_console, server, f"{text}\n\nThe end.")
    expect(page.get_by_role("region", name="Text of the document")).to_contain_text("The end.")


def test_a_text_of_very_many_pieces_is_shown(open_console: Open, hotels: str) -> None:
    def lengthen(route: Route) -> None:
        route.fulfill(json={**route.fetch().json(), "text": "`a` " * 100_000 + "The end."})

    page = open_console("#/documents")
    page.route("**/api/rag/documents/*", lengthen)
    page.get_by_role("link", name="Hotels").click()
    expect(page.get_by_role("region", name="Text of the document")).to_contain_text("The end.")
