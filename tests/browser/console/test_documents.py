"""Documents and data sources: listed, opened, changed, deleted."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.console.conftest import Open
from tests.browser.console.steps import confirm, ingest
from tests.conftest import Server


def test_a_document_is_opened_with_all_that_is_known_of_it(
    open_console: Open, server: Server
) -> None:
    sent = {
        "id": "kettle", "title": "Kettle", "text": "🫖 It boils.", "url": "https://shop.example/k",
        "tags": ["kitchen"], "metadata": {"year": 2024},
    }  # fmt: skip
    ingest(server, sent)
    page = open_console("#/documents")
    page.get_by_role("link", name="Kettle").click()
    facts = page.locator(".facts")
    for word in ("Default", "kitchen", "2024", "11 characters in 1 passage"):
        expect(facts).to_contain_text(word)
    expect(facts.get_by_role("link", name="https://shop.example/k")).to_be_visible()
    expect(page.get_by_role("region", name="Text of the document")).to_have_text("🫖 It boils.")
    page.reload()
    expect(page.get_by_role("heading", name="Kettle")).to_be_visible()


def test_words_are_marked_as_the_api_counts_them(open_console: Open, server: Server) -> None:
    body = {"source": "s", "path": "/k", "title": "K", "text": "🫖🫖 It boils."}
    id = server.http.post("/api/rag/ingest", json=body).json()["documentId"]
    page = open_console(f"#/documents/{id}?from=3&to=5")
    expect(page.locator("mark")).to_have_text("It")


def test_documents_are_narrowed_to_a_data_source_and_shown_by_the_page(
    open_console: Open, server: Server, hotels: str
) -> None:
    made = server.http.post("/api/rag/sources", json={"name": "Many", "visibility": "public"})
    documents = [{"id": f"n{number}", "text": f"Newt {number}."} for number in range(110)]
    ingest(server, *documents, source=made.json()["id"])
    page = open_console("#/documents")
    rows = page.locator("ul.documents > li")
    expect(rows).to_have_count(100)
    page.get_by_role("button", name="Show more").click()
    expect(rows).to_have_count(111)
    page.get_by_label("Data source").select_option("Default")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Hotels")
    page.reload()
    expect(rows).to_have_count(1)


def test_the_newest_documents_are_first(open_console: Open, server: Server) -> None:
    for name in ("b", "d", "a", "c"):
        ingest(server, {"id": name, "title": name, "text": f"Newt {name}."})
    names = open_console("#/documents").locator("ul.documents .name")
    expect(names).to_have_text(["c", "a", "d", "b"])


def test_what_a_deletion_does_and_does_not_is_told(open_console: Open, hotels: str) -> None:
    page = open_console("#/documents")
    page.get_by_role("button", name="Delete Hotels").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Nobody finds “Hotels” from now on")
    expect(dialog).to_contain_text("A file in the folder or bucket of uploads stays there")


def test_a_document_is_deleted_only_when_that_is_confirmed(open_console: Open, hotels: str) -> None:
    page = open_console("#/documents")
    delete = page.get_by_role("button", name="Delete Hotels")
    delete.click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(delete).to_be_focused()
    delete.click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    delete.click()
    confirm(page)
    expect(delete).to_have_count(0)
    expect(page.get_by_text("No documents yet")).to_be_visible()
    expect(page.get_by_role("heading", name="Documents")).to_be_focused()
    expect(page.get_by_role("status")).to_have_text("Hotels is deleted.")


def test_a_data_source_is_made_opened_to_others_and_deleted(
    open_console: Open, server: Server
) -> None:
    page = open_console("#/sources")
    page.get_by_role("button", name="New data source").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("Contracts")
    dialog.get_by_label("Who may query it").select_option("personal")
    dialog.get_by_role("button", name="Save").click()
    row = page.get_by_role("listitem").filter(has_text="Contracts")
    expect(row).to_contain_text("Its owner alone may query it.")
    expect(row).to_contain_text("0 documents")
    row.get_by_role("button", name="Change").click()
    dialog.get_by_label("Name").fill("Legal")
    dialog.get_by_label("Who may query it").select_option("role")
    dialog.get_by_label("Its roles").fill("lawyer, board")
    dialog.get_by_role("button", name="Save").click()
    row = page.get_by_role("listitem").filter(has_text="Legal")
    expect(row).to_contain_text("Whoever has the role board or lawyer may query it.")
    source = server.http.get("/api/rag/sources").json()["sources"][-1]
    assert (source["name"], source["roles"]) == ("Legal", ["board", "lawyer"])
    row.get_by_role("button", name="Delete").click()
    confirm(page)
    expect(row).to_have_count(0)
    assert len(server.http.get("/api/rag/sources").json()["sources"]) == 1


def test_what_is_refused_is_said_in_the_apis_words(open_console: Open, hotels: str) -> None:
    page = open_console("#/documents/doc_gone")
    expect(page.get_by_role("alert").last).to_contain_text("There is no document doc_gone.")
    page.goto(page.url.replace("documents/doc_gone", "documents"))
    page.get_by_role("button", name="Delete Hotels").click()
    answer = {"error": "Forbidden", "message": "Not on a Wednesday.", "details": {}}
    page.route("**/api/rag/documents/*", lambda route: route.fulfill(status=403, json=answer))
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Delete").click()
    expect(dialog.get_by_role("alert")).to_have_text("Not on a Wednesday.")


def test_a_server_that_was_gone_is_found_again(open_console: Open, hotels: str) -> None:
    page = open_console("#/documents")
    expect(page.get_by_role("link", name="Hotels")).to_be_visible()
    page.context.set_offline(True)
    page.get_by_role("link", name="Data sources").click()
    expect(page.locator("#banner")).to_contain_text("The server cannot be reached.")
    page.context.set_offline(False)
    expect(page.get_by_role("link", name="Default")).to_be_visible()
    expect(page.locator("#banner")).to_be_empty()
