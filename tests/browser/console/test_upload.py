"""Files that are added in the console."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import Watched
from tests.browser.console.conftest import HOTELS, Open
from tests.browser.console.steps import ask, choose, confirm, drop, file, upload
from tests.conftest import Server
from tests.writers import pdf
from tests.writers.story import STORY


def test_a_pdf_is_asked_about_as_soon_as_it_is_uploaded_and_gone_once_it_is_deleted(
    open_console: Open, server: Server
) -> None:
    page = open_console()
    expect(page.get_by_text("Drop a PDF here, then ask about it")).to_be_visible()
    choose(page, file("newts.pdf", pdf.write(STORY), "application/pdf"))
    row = upload(page, "newts.pdf")
    row.get_by_role("link", name="Ask about it").click()
    expect(page.get_by_label("Your question")).to_be_focused()
    answer = ask(page, "How many litres does an adult pair need?")
    answer.get_by_role("button", name="Source 1").first.click()
    quote = answer.get_by_role("group", name="Quote from source 1").first
    expect(quote).to_be_focused()
    expect(quote).to_contain_text("eighty litres")
    quote.get_by_role("link", name="Read these words").click()
    expect(page.locator("mark")).to_contain_text("eighty litres")
    expect(page.locator("mark")).to_be_focused()
    page.get_by_role("button", name="Delete").click()
    confirm(page)
    expect(page.get_by_text("No documents yet")).to_be_visible()
    expect(row).to_have_count(0)
    assert server.http.get("/api/rag/documents").json()["documents"] == []


def test_what_is_typed_at_once_is_a_question_about_the_file(open_console: Open) -> None:
    page = open_console("#/usage")
    drop(page, {"hotels.md": HOTELS})
    ask_about = upload(page, "hotels.md").get_by_role("link", name="Ask about it")
    focused = "one => { one.click(); return document.activeElement.name; }"
    assert ask_about.evaluate(focused) == "query"
    page.keyboard.type("What do rooms cost?")
    expect(page.get_by_text("Only in hotels.md")).to_be_visible()
    expect(page.get_by_label("Search in")).to_have_count(0)
    expect(page.get_by_label("Your question")).to_have_value("What do rooms cost?")
    page.go_back()
    expect(page.get_by_role("heading", name="Usage and limits")).to_be_visible()


def test_what_is_deleted_with_its_data_source_is_offered_no_more(
    open_console: Open, server: Server
) -> None:
    server.http.post("/api/rag/sources", json={"name": "Own", "visibility": "personal"})
    page = open_console("#/documents")
    choose(page, file("trains.md", "Trains are booked in second class."))
    page.get_by_label("into").select_option("Own")
    choose(page, file("hotels.md", HOTELS))
    for name in ("trains.md", "hotels.md"):
        expect(upload(page, name)).to_contain_text("Ready")
    page.get_by_role("link", name="Data sources").click()
    page.get_by_role("button", name="Delete Own").click()
    confirm(page)
    expect(upload(page, "hotels.md")).to_have_count(0)
    expect(page.get_by_role("heading", name="1 file added")).to_be_visible()
    expect(upload(page, "trains.md")).to_contain_text("Ready")


def test_files_may_be_dropped_anywhere(open_console: Open, server: Server) -> None:
    page = open_console("#/usage")
    drop(page, {"hotels.md": HOTELS, "trains.txt": "Trains are booked in second class."})
    for name in ("hotels.md", "trains.txt"):
        expect(upload(page, name)).to_contain_text("Ready")
    found = server.http.post("/api/rag/search", json={"query": "hotel rooms"}).json()
    assert found["results"][0]["text"] == HOTELS


def test_of_several_files_each_says_what_became_of_it(open_console: Open) -> None:
    page = open_console("#/documents")
    good = [file(f"{number}.md", f"# Newt {number}") for number in range(4)]
    bad = [file("broken.pdf", b"%PDF-1.4 nonsense"), file("photo.png", b"\x89PNG", "image/png")]
    odd = file("odd.pdf", "This is a plain text.")
    choose(page, *good, *bad, odd)
    for number in range(4):
        expect(upload(page, f"{number}.md")).to_contain_text("Ready")
    expect(upload(page, "broken.pdf")).to_contain_text("broken.pdf is damaged, or no PDF.")
    expect(upload(page, "photo.png")).to_contain_text("photo.png is a picture and cannot be read")
    expect(upload(page, "odd.pdf")).to_contain_text("odd.pdf is plain text, not a PDF")
    expect(page.get_by_role("heading", name="5 of 7 files added")).to_be_visible()
    expect(page.get_by_role("link", name="Newt 3")).to_be_visible()
    page.get_by_role("button", name="Clear the list").click()
    expect(upload(page, "0.md")).to_have_count(0)


def test_a_hundred_files_are_all_followed_to_their_end(open_console: Open) -> None:
    page = open_console("#/jobs")
    expect(page.get_by_text("Nothing has been added yet")).to_be_visible()
    drop(page, {f"{number}.md": f"Newt {number}." for number in range(100)})
    expect(page.get_by_role("heading", name="100 files added")).to_be_visible(timeout=30_000)
    expect(page.locator(".view.jobs .badge", has_text="done")).to_have_count(100)


def test_a_file_goes_where_it_is_sent(open_console: Open, server: Server) -> None:
    made = server.http.post("/api/rag/sources", json={"name": "Own", "visibility": "personal"})
    page = open_console("#/documents")
    page.get_by_label("into").select_option("Own")
    choose(page, file("hotels.md", HOTELS))
    expect(upload(page, "hotels.md")).to_contain_text("Ready")
    query = {"dataSource": made.json()["id"]}
    shown = server.http.get("/api/rag/documents", params=query).json()["documents"]
    assert [one["path"] for one in shown] == ["hotels.md"]


def test_what_fails_on_its_way_can_be_tried_again(open_console: Open, server: Server) -> None:
    page = open_console()
    page.route(f"{server.url}/uploads", lambda route: route.abort())
    choose(page, file("hotels.md", HOTELS))
    row = upload(page, "hotels.md")
    expect(row).to_contain_text("The connection broke off")
    page.unroute_all()
    row.get_by_role("button", name="Try hotels.md again").click()
    expect(row).to_contain_text("Ready")


def test_a_file_that_is_empty_or_too_large_says_so(
    watched: Watched, start: Callable[..., Server]
) -> None:
    page = watched.open(f"{start({'LARGEST_FILE': '1'}).url}/console")
    choose(page, file("empty.md", ""), file("large.md", "x" * 2_000_000))
    expect(upload(page, "empty.md")).to_contain_text("The file is empty.")
    expect(upload(page, "large.md")).to_contain_text("It has 2.0 MB; a file may have 1.0 MB.")


def test_all_files_of_a_folder_are_added_by_their_paths(
    open_console: Open, server: Server, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    (folder / "deep").mkdir(parents=True)
    for name in ("a.md", "deep/b.md", ".hidden", "deep/.DS_Store"):
        (folder / name).write_text("Newts.")
    page = open_console()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose a folder").click()
    chooser.value.set_files(folder)
    expect(page.get_by_role("heading", name="2 files added")).to_be_visible()
    shown = server.http.get("/api/rag/documents").json()["documents"]
    assert {one["path"] for one in shown} == {"notes/a.md", "notes/deep/b.md"}


def test_a_large_file_shows_how_much_is_sent(open_console: Open) -> None:
    page = open_console()
    session = page.context.new_cdp_session(page)
    slow = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 400_000}
    session.send("Network.emulateNetworkConditions", slow)
    choose(page, file("large.txt", "newt " * 800_000))
    row = upload(page, "large.txt")
    expect(row).to_contain_text(re.compile(r"Sending, [1-9]\d? %"))
    assert 0 < row.get_by_role("progressbar").evaluate("one => one.value") < 1
    row.get_by_role("button", name="Cancel").click()
    expect(row).to_contain_text("Cancelled")


@pytest.mark.parametrize("meanwhile", ["/api/rag/uploads", "/uploads"])
def test_a_file_that_is_cancelled_is_never_found(
    open_console: Open, server: Server, meanwhile: str
) -> None:
    page = open_console()
    held: list[Route] = []
    page.route(f"{server.url}{meanwhile}", lambda route: held.append(route))
    choose(page, file("hotels.md", HOTELS))
    page.get_by_role("button", name="Cancel hotels.md").click()
    expect(upload(page, "hotels.md")).to_contain_text("Cancelled")
    for route in held:
        route.continue_()
    page.wait_for_function(
        "async () => (await (await fetch('api/rag/ingest')).json()).jobs[0]?.status === 'failed'"
    )
    assert server.http.get("/api/rag/documents").json()["documents"] == []
