"""Access: people of two orgs do everything by chance, and none learns what it may not know."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.conftest import Server
from tests.routes import routes
from tests.wire.access.document_steps import DocumentSteps
from tests.wire.access.job_steps import JobSteps
from tests.wire.access.ledger import Person
from tests.wire.access.question_steps import QuestionSteps
from tests.wire.access.scene import PARTS, Scene
from tests.wire.access.site_steps import SiteSteps
from tests.wire.access.source_steps import SourceSteps
from tests.wire.access.usage_steps import UsageSteps

STEPS = 1500
# The same for everybody; and where a form is the permission.
OPEN = {
    "/", "/health", "/docs", "/docs/{file}", "/openapi.json", "/guide/{page}", "/site/{file}",
    "/console", "/console/{file}", "/widget.js", "/uploads",
}  # fmt: skip


def test_nobody_learns_by_any_route_what_is_not_for_them(
    start: Callable[..., Server], dice: Random
) -> None:
    server = start(**PARTS)
    scene = Scene(server, dice)
    sources, documents = SourceSteps(scene), DocumentSteps(scene)
    jobs, questions = JobSteps(scene), QuestionSteps(scene)
    sites, usage = SiteSteps(scene), UsageSteps(scene)
    steps = {
        ("POST", "/api/rag/ingest"): [documents.make, documents.replace, jobs.send, jobs.refer],
        ("GET", "/api/rag/ingest"): [jobs.list],
        ("GET", "/api/rag/ingest/{jobId}"): [jobs.read],
        ("DELETE", "/api/rag/ingest/{jobId}"): [jobs.cancel],
        ("POST", "/api/rag/uploads"): [jobs.upload],
        ("GET", "/api/rag/sources"): [sources.list],
        ("POST", "/api/rag/sources"): [sources.make],
        ("GET", "/api/rag/sources/{sourceId}"): [sources.read],
        ("PATCH", "/api/rag/sources/{sourceId}"): [sources.change, sources.change],
        ("DELETE", "/api/rag/sources/{sourceId}"): [sources.delete],
        ("GET", "/api/rag/documents"): [documents.list],
        ("GET", "/api/rag/documents/{documentId}"): [documents.read],
        ("DELETE", "/api/rag/documents/{documentId}"): [documents.delete],
        ("GET", "/api/rag/usage"): [usage.read],
        ("POST", "/api/rag/search"): [questions.search, questions.ask_while_hidden_things_change],
        ("POST", "/api/rag/retrieve"): [questions.retrieve],
        ("POST", "/api/rag/query"): [questions.query],
        ("POST", "/api/chat"): [questions.chat, questions.chat],
        ("POST", "/api/v1/chat"): [
            sites.visit,
            sites.visit,
            sites.visit_while_hidden_things_change,
        ],
        ("POST", "/api/v1/feedback"): [sites.rate],
        ("GET", "/api/v1/feedback"): [sites.feedback],
        ("POST", "/api/v1/sites"): [sites.make, sites.make],
        ("GET", "/api/v1/sites"): [sites.list],
        ("DELETE", "/api/v1/sites/{siteId}"): [sites.delete],
        ("GET", "/api/v1/sites/{siteId}/look"): [sites.look],
    }
    assert set(steps) == {one for one in routes(server) if one[1] not in OPEN}, "one without steps"

    def tidy(person: Person) -> None:
        """What the server does every minute."""
        for chore in server.footnote.chores:
            chore.do()

    beside = [questions.library, jobs.drop, jobs.work, scene.move, tidy]
    every = [step for of_route in steps.values() for step in of_route] + beside
    try:
        for _ in range(STEPS):
            dice.choice(every)(dice.choice(scene.people))
    finally:
        print(*scene.journal, f"{scene.requests} requests", sep="\n")
    assert sites.shown, "visitors saw nothing at all"
