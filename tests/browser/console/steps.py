"""What people do in the console."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.conftest import Server
from tests.integration.waiting import until

DROP = """([names, texts]) => {
  const files = new DataTransfer();
  names.forEach((name, at) => files.items.add(new File([texts[at]], name)));
  for (const type of ['dragenter', 'dragover', 'drop']) {
    document.body.dispatchEvent(
      new DragEvent(type, {dataTransfer: files, bubbles: true, cancelable: true}));
  }
}"""


def ingest(server: Server, *documents: dict[str, Any], source: str = "default") -> None:
    """Send documents, and wait until the worker that follows has done with them."""
    body = {"dataSourceId": source, "documents": documents}
    id = server.http.post("/api/rag/ingest", json=body).json()["jobId"]
    until(lambda: server.http.get(f"/api/rag/ingest/{id}").json()["status"] == "completed")


def file(name: str, content: str | bytes, type: str = "") -> dict[str, Any]:
    """A file as a picker takes it."""
    data = content if isinstance(content, bytes) else content.encode()
    return {"name": name, "mimeType": type, "buffer": data}


def choose(page: Page, *files: dict[str, Any]) -> None:
    """Add files by the picker."""
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose files").click()
    chooser.value.set_files(list(files))


def drop(page: Page, files: Mapping[str, str]) -> None:
    """Add files by dropping them on the page."""
    page.evaluate(DROP, [list(files), list(files.values())])


def upload(page: Page, name: str) -> Locator:
    """What is shown of a file that was added."""
    return page.get_by_role("region", name="add").get_by_role("listitem").filter(has_text=name)


def ask(page: Page, question: str) -> Locator:
    """Ask, and wait for the answer."""
    page.get_by_label("Your question").fill(question)
    page.get_by_role("button", name="Ask", exact=True).click()
    answer = page.get_by_role("region", name="Answer")
    expect(answer).to_be_visible()
    return answer


def confirm(page: Page, verb: str = "Delete") -> None:
    """Say yes to what a dialog asks, and wait until it is done."""
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name=verb).click()
    expect(dialog).to_have_count(0)
