"""Jobs, as they happen."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import Watched
from tests.browser.console.conftest import Open
from tests.conftest import Server
from tests.worker import work

DOCUMENTS = [
    {"id": "good", "text": "Newts swim."},
    {"id": "bad", "content": "JVBERi0xLjQgbm9uc2Vuc2U=", "mediaType": "application/pdf"},
]


def send(server: Server, documents: list[dict[str, str]]) -> str:
    body = {"dataSourceId": "default", "documents": documents}
    id: str = server.http.post("/api/rag/ingest", json=body).json()["jobId"]
    return id


def test_a_job_is_followed_to_its_end(watched: Watched, server: Server) -> None:
    send(server, DOCUMENTS)
    page = watched.open(f"{server.url}/console#/jobs")
    job = page.get_by_role("listitem").filter(has_text="finished").first
    expect(job).to_contain_text("waiting")
    job.get_by_text("What became of each document").click()
    expect(job.get_by_role("listitem").first).to_contain_text("good waiting")
    work(server.footnote)
    expect(job).to_contain_text("2 of 2 finished · 1 document in 1 passage")
    expect(job.get_by_role("listitem").first).to_contain_text("good added, 1 passage")
    expect(job.get_by_role("listitem").last).to_contain_text("is damaged, or no PDF.")
    expect(page.get_by_role("status")).to_contain_text("completed")


def test_a_running_job_can_be_cancelled(watched: Watched, server: Server) -> None:
    id = send(server, DOCUMENTS[:1])
    page = watched.open(f"{server.url}/console#/jobs")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("The job was cancelled before this was done.")).to_be_visible()
    assert server.http.get(f"/api/rag/ingest/{id}").json()["status"] == "failed"


def test_nobody_who_does_not_look_asks_for_jobs(watched: Watched, server: Server) -> None:
    send(server, DOCUMENTS[:1])
    page = watched.open(f"{server.url}/console#/jobs")
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    page.evaluate("""Object.defineProperty(document, 'hidden', {get: () => window.away});
        window.away = true""")
    page.wait_for_timeout(100)  # for what is under way
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(1200)
    assert asked == []
    with page.expect_request("**/api/rag/ingest?*"):
        page.evaluate("window.away = false; document.dispatchEvent(new Event('visibilitychange'))")


def test_older_jobs_are_shown_when_they_are_asked_for(open_console: Open, server: Server) -> None:
    for number in range(55):
        send(server, [{"text": f"Newt {number}."}])
    page = open_console("#/jobs")
    expect(page.locator(".jobs > li")).to_have_count(50)
    page.get_by_role("button", name="Show more").click()
    expect(page.locator(".jobs > li")).to_have_count(55)
