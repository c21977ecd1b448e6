"""GET /api/rag/usage: what an org does, has stored and may do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import httpx
import pytest

from rag.errors import EmbeddingFailed, Unavailable
from rag.ingest.notices import notice
from rag.ingest.worker import MOST_ATTEMPTS
from rag.model import Access, Change, Draft
from rag.stores import layout
from rag.stores.usages import DAY
from tests.conftest import Clock, Server
from tests.integration.waiting import until
from tests.loopback import OpenAIApi
from tests.wire.platform.conftest import Interrupted, Person
from tests.wire.platform.questions import HOTELS, NEWTS, QUERY, QUESTION, RETRIEVE, UNANSWERABLE
from tests.wire.platform.writers import Writer
from tests.worker import work

USAGE, CHAT, VISIT = "/api/rag/usage", "/api/chat", "/api/v1/chat"
DOCUMENT = {"source": "handbook", "path": "/hotels", "title": "Hotels", "text": HOTELS}
HANDBOOK = Draft("handbook", "/hotels", "Hotels", HOTELS)
NOTHING = {
    "questions": 0, "abstained": 0, "searches": 0, "ingested": 0, "failed": 0, "tokens": 0
}  # fmt: skip
EVENTS = "text/event-stream"


def today(person: Person) -> dict[str, int]:
    """What the person's org has done today."""
    [day] = person.ask("GET", USAGE, params={"days": 1}).json()["days"]
    del day["date"]
    told: dict[str, int] = day
    return told


def check(person: Person, **amounts: int) -> None:
    """So much was done today, and no more. It is counted just after it is answered."""
    until(lambda: Counter(today(person)) >= Counter(amounts))
    assert today(person) == {**NOTHING, **amounts}


@pytest.fixture
def zoe(server: Server) -> Person:
    """Somebody of another org."""
    return Person(server, "zoe", "zeta")


@pytest.fixture
def told(server: Server) -> None:
    """A document in the default source, that nobody has counted."""
    server.footnote.ingestion.ingest("acme", HANDBOOK)


def visitor(server: Server, *sources: str, tier: str = "premium") -> Callable[..., httpx.Response]:
    """Asks on the pages of a site of acme's, as a member of a third org, or as nobody."""
    site = server.footnote.sites.create("acme", "ann", "Docs", [], list(sources), {})
    token = server.token("vic", "elsewhere", tier=tier) if tier != "anonymous" else {}

    def ask(message: str = QUESTION, accept: str = "*/*") -> httpx.Response:
        context = {"mode": "browse", "session_id": str(uuid4())}
        body = {"message": message, "context": context, "tier": "anonymous"}
        headers = {**token, "X-Site": site.id, "Accept": accept}
        return server.http.post(VISIT, json=body, headers=headers)

    return ask


def test_limits_and_storage_are_told_beside_thirty_days(ann: Person, clock: Clock) -> None:
    assert ann.ask("POST", "/api/rag/ingest", json=DOCUMENT).is_success
    check(ann, ingested=1)
    body = ann.ask("GET", USAGE).json()
    assert [*body] == ["days", "storage", "limits"]
    dates = [day["date"] for day in body["days"]]
    assert (len(dates), dates[0], dates[-1]) == (30, "2026-12-17", "2027-01-15")
    assert dates == sorted(dates)
    assert all(day == {"date": day["date"], **NOTHING} for day in body["days"][:-1])
    assert body["storage"] == {
        "usedBytes": len(HOTELS), "quotaBytes": 10_000_000_000, "documents": 1
    }  # fmt: skip
    assert body["limits"] == {
        "perMinute": {"anonymous": 10, "lightweight": 30, "full": 100, "premium": None},
        "largestFileBytes": 50_000_000,
        "longestUploadTokens": 1_000_000,
        "longestTextTokens": 100_000,
    }


def test_the_operators_limits_are_told(start: Callable[..., Server]) -> None:
    told = {"STORAGE_QUOTA": "3", "LARGEST_FILE": "2", "LONGEST_UPLOAD": "9", "LONGEST_TEXT": "8"}
    body = Person(start(told), "ann").ask("GET", USAGE).json()
    assert body["storage"]["quotaBytes"] == 3_000_000
    assert body["limits"] | {"perMinute": None} == {
        "perMinute": None, "largestFileBytes": 2_000_000, "longestUploadTokens": 9,
        "longestTextTokens": 8,
    }  # fmt: skip


@pytest.mark.parametrize("days", [1, 7, 90])
def test_as_many_days_as_are_asked_for(ann: Person, clock: Clock, days: int) -> None:
    told = ann.ask("GET", USAGE, params={"days": days}).json()["days"]
    assert (len(told), told[-1]["date"]) == (days, "2027-01-15")


@pytest.mark.parametrize("days", ["0", "91", "-1", "1.5", "many", ""])
def test_no_other_number_of_days_is_taken(ann: Person, days: str) -> None:
    answer = ann.ask("GET", USAGE, params={"days": days})
    assert (answer.status_code, answer.json()["details"]["field"]) == (400, "days")


def test_each_day_has_its_own_in_utc(ann: Person, clock: Clock) -> None:
    clock.now = clock.now // DAY * DAY + DAY - 1
    ann.found("hotels")
    check(ann, searches=1)
    clock.now += 1
    check(ann)
    ann.found("hotels")
    ann.found("trains")
    check(ann, searches=2)
    yesterday, now = ann.ask("GET", USAGE, params={"days": 2}).json()["days"]
    assert (yesterday["date"], yesterday["searches"]) == ("2027-01-15", 1)
    assert (now["date"], now["searches"]) == ("2027-01-16", 2)


@pytest.mark.usefixtures("told")
def test_searches_are_those_that_want_no_answer(ann: Person) -> None:
    ann.found(QUESTION)
    assert ann.ask("POST", RETRIEVE, json={"query": QUESTION}).is_success
    check(ann, searches=2)


@pytest.mark.usefixtures("told")
@pytest.mark.parametrize("stream", [True, False])
def test_questions_and_those_that_the_documents_do_not_answer(
    server: Server, ann: Person, stream: bool
) -> None:
    for query in (QUESTION, UNANSWERABLE):
        headers = server.token()
        body = {"query": query, "stream": stream}
        assert server.http.post(QUERY, json=body, headers=headers).is_success
    check(ann, questions=2, abstained=1)


@pytest.mark.usefixtures("told")
def test_a_strict_question_that_is_refused_is_one_that_was_not_answered(ann: Person) -> None:
    answer = ann.ask("POST", QUERY, json={"query": UNANSWERABLE, "strictMode": True})
    assert answer.status_code == 422
    check(ann, questions=1, abstained=1)


@pytest.mark.usefixtures("told")
def test_a_chat_is_a_question_where_it_asks_the_documents(ann: Person) -> None:
    for message in (QUESTION, UNANSWERABLE):
        assert ann.ask("POST", CHAT, json={"message": message, "useRag": True}).is_success
    assert ann.ask("POST", CHAT, json={"message": "Good day."}).status_code == 503
    check(ann, questions=2, abstained=1)


@pytest.mark.usefixtures("told")
@pytest.mark.parametrize("accept", ["*/*", EVENTS])
def test_what_visitors_ask_is_the_sites_orgs_however_often_it_is_the_same(
    server: Server, ann: Person, accept: str
) -> None:
    ask = visitor(server, "default")
    for message in (QUESTION, QUESTION, UNANSWERABLE, UNANSWERABLE):
        assert ask(message, accept).status_code == 200
    check(ann, questions=4, abstained=2)
    check(Person(server, "vic", "elsewhere"))


def test_a_site_that_shows_nothing_was_asked_all_the_same(server: Server, ann: Person) -> None:
    assert visitor(server)().status_code == 200
    check(ann, questions=1, abstained=1)


def test_a_language_model_that_finds_no_answer_counts_the_same_each_time(
    start: Callable[..., Server], clock: Clock
) -> None:
    server = start(answerer=Writer("The documents do not say."), clock=clock)
    server.footnote.ingestion.ingest("acme", HANDBOOK)
    ann, ask = Person(server, "ann"), visitor(server, "default")
    for _ in range(2):
        assert ask().json()["sources"] == []
    check(ann, questions=2, abstained=2)


def test_a_visitor_who_is_refused_is_not_counted(server: Server, ann: Person) -> None:
    ask = visitor(server, tier="anonymous")
    assert [ask().status_code for _ in range(12)] == [200] * 10 + [429] * 2
    check(ann, questions=10, abstained=10)


def test_documents_that_are_posted(ann: Person) -> None:
    for text, status in ((HOTELS, "created"), (HOTELS, "unchanged"), (NEWTS, "updated")):
        answer = ann.ask("POST", "/api/rag/ingest", json={**DOCUMENT, "text": text})
        assert answer.json()["status"] == status
    check(ann, ingested=2)


def test_a_document_that_is_refused_has_failed(start: Callable[..., Server]) -> None:
    ann = Person(start({"LONGEST_TEXT": "3"}), "ann")
    assert ann.ask("POST", "/api/rag/ingest", json=DOCUMENT).status_code == 413
    check(ann, failed=1)


def test_documents_of_jobs_count_when_a_worker_has_done_them(server: Server, ann: Person) -> None:
    unreadable = {"content": "AAAA", "mediaType": "application/x-none"}
    ann.begin({"id": "a", "text": HOTELS}, {"id": "b", "text": NEWTS}, {"id": "c", **unreadable})
    check(ann, failed=1)
    assert work(server.footnote) == []
    check(ann, ingested=2, failed=1)


def test_a_job_without_any_document_that_can_be_read_has_failed_too(ann: Person) -> None:
    unreadable = {"content": "AAAA", "mediaType": "application/x-none"}
    assert ann.send(unreadable, unreadable).status_code == 415
    check(ann, failed=2)


def test_uploads_count_by_a_form_and_in_the_folder(
    server: Server, ann: Person, clock: Clock
) -> None:
    form = ann.form(filename="a.md", mediaType="text/markdown")
    answer = server.http.post(form["url"], data=form["fields"], files={"file": HOTELS.encode()})
    assert answer.status_code == 204
    parts = server.footnote.parts
    for name, text in (("b.md", NEWTS.encode()), ("c.pdf", b"%PDF-1.4 no")):
        parts.objects.put(f"uploads/acme/default/{name}", text)
        change = Change(f"uploads/acme/default/{name}", clock(), "01")
        parts.queue.send(notice(change), group="acme")
    assert work(server.footnote) == []
    check(ann, ingested=2, failed=1)


def test_what_is_tried_again_has_not_failed_until_it_is_given_up(
    server: Server, ann: Person, embedder: Interrupted, clock: Clock
) -> None:
    def fail(texts: object) -> None:
        raise EmbeddingFailed("The vendor is away.")

    embedder.before = fail
    ann.begin({"id": "a", "text": HOTELS})
    for _ in range(MOST_ATTEMPTS - 1):
        assert len(work(server.footnote)) == 1
        assert today(ann) == NOTHING
        clock.now += 1000
    assert work(server.footnote) == []
    check(ann, failed=1)


def test_tokens_of_vendors_models_are_those_of_prompts_completions_and_embeddings(
    start: Callable[..., Server], openai_api: OpenAIApi
) -> None:
    ann = Person(start(answerer=openai_api.answerer(), embedder=openai_api.embedder()), "ann")
    assert ann.ask("POST", "/api/rag/ingest", json=DOCUMENT).is_success
    until(lambda: today(ann)["tokens"] > 0)
    embedded = today(ann)["tokens"]
    check(ann, ingested=1, tokens=embedded)
    answer = ann.ask("POST", QUERY, json={"query": QUESTION}).json()
    used = answer["metadata"]["tokens"]
    assert min(used["prompt"], used["completion"]) > 0
    until(lambda: today(ann)["questions"] == 1)
    # And for the question, which is embedded.
    assert today(ann)["tokens"] > embedded + used["prompt"] + used["completion"]


@pytest.mark.usefixtures("told")
def test_whatever_another_org_does_changes_no_byte(
    server: Server, ann: Person, zoe: Person
) -> None:
    before = ann.ask("GET", USAGE).content
    zoe.ask("POST", "/api/rag/ingest", json=DOCUMENT)
    zoe.begin({"id": "a", "text": NEWTS})
    zoe.found("hotels")
    assert zoe.ask("POST", QUERY, json={"query": UNANSWERABLE}).is_success
    assert work(server.footnote) == []
    check(zoe, ingested=2, searches=1, questions=1, abstained=1)
    assert ann.ask("GET", USAGE).content == before


def test_every_member_is_told_the_same_of_all_data_sources(server: Server, ann: Person) -> None:
    bob = Person(server, "bob")
    own = server.footnote.sources.create("acme", "bob", "Own", Access("personal"))
    bob.begin({"id": "a", "text": HOTELS}, into=own.id)
    assert work(server.footnote) == []
    check(ann, ingested=1)
    body = ann.ask("GET", USAGE)
    assert body.json()["storage"]["documents"] == 1
    assert body.content == bob.ask("GET", USAGE).content


def test_documents_of_a_deleted_source_are_stored_until_they_are_removed(
    server: Server, ann: Person
) -> None:
    own = ann.source("personal")
    ann.begin({"id": "a", "text": HOTELS}, into=own)
    work(server.footnote)
    assert ann.ask("DELETE", f"/api/rag/sources/{own}").is_success
    assert ann.ask("GET", USAGE).json()["storage"]["documents"] == 1
    for chore in server.footnote.chores:
        chore.do()
    storage = ann.ask("GET", USAGE).json()["storage"]
    assert (storage["documents"], storage["usedBytes"]) == (0, 0)


def test_in_a_crowd_everything_is_counted_once(server: Server, ann: Person, zoe: Person) -> None:
    people = [ann, zoe, ann] * 10
    with ThreadPoolExecutor(len(people)) as crowd:
        list(crowd.map(lambda person: person.found("hotels"), people))
    check(ann, searches=20)
    check(zoe, searches=10)


def test_credentials_are_required(start: Callable[..., Server]) -> None:
    server = start({"AUTH": "required", "JWT_SECRET": "a secret of at least thirty-two bytes"})
    assert server.http.get(USAGE).status_code == 401
    assert Person(server, "ann").ask("GET", USAGE).status_code == 200


def test_reading_and_what_does_nothing_write_nothing(server: Server, ann: Person) -> None:
    for path in (USAGE, "/api/rag/documents", "/api/rag/ingest", "/api/rag/sources"):
        assert ann.ask("GET", path).is_success
    assert ann.ask("POST", "/api/rag/search", json={}).status_code == 400
    assert server.footnote.parts.fleeting.query(layout.usages("acme")) == []


def test_a_table_that_is_away_changes_no_answer(
    server: Server, ann: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*writes: object) -> None:
        raise Unavailable("The database does not answer.")

    monkeypatch.setattr(server.footnote.parts.fleeting, "write_lightly", away)
    assert ann.ask("POST", "/api/rag/ingest", json=DOCUMENT).is_success
    assert ann.found("hotels") == [HOTELS]
    ann.begin({"id": "a", "text": NEWTS})
    assert work(server.footnote) == []
    assert len(ann.found("newts")) == 2
    assert today(ann) == NOTHING
