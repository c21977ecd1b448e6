"""Documents of jobs: what is the same one, what is kept of it, and how it is cut."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from typing import Any

import pytest

from tests.conftest import Server
from tests.wire.platform.conftest import Person, outcome
from tests.worker import work

TEXT = "Newts live in ponds."
LONG = "\n\n".join(f"Pond number {number} holds {number * 7} newts." for number in range(60))


@pytest.fixture
def ingest(server: Server, ann: Person) -> Any:
    """Has documents of Ann's ingested, and returns what became of each."""

    def done(*documents: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
        id = ann.begin(*documents, **more)
        assert work(server.footnote) == []
        job = ann.job(id)
        assert job["status"] == "completed"
        assert job["indexed"] == len(documents)
        assert job["chunks"] == len(job["vectorIds"]) == sum(map(chunks, job["results"]))
        results: list[dict[str, Any]] = job["results"]
        return results

    return done


def chunks(result: dict[str, Any]) -> int:
    count: int = result["chunkCount"]
    return count


def test_the_same_id_again_replaces_the_document(ann: Person, ingest: Any) -> None:
    [first] = ingest({"id": "a", "text": TEXT})
    [same] = ingest({"id": "a", "text": TEXT})
    [other] = ingest({"id": "a", "text": "Newts have left."})
    assert [one["status"] for one in (first, same, other)] == ["created", "unchanged", "updated"]
    assert first["documentId"] == same["documentId"] == other["documentId"]
    assert ann.found("Where do newts live?") == ["Newts have left."]


def test_the_same_id_in_two_sources_is_two_documents(ann: Person, ingest: Any) -> None:
    [here] = ingest({"id": "a", "text": TEXT})
    [there] = ingest({"id": "a", "text": TEXT}, into=ann.source("public"))
    assert here["documentId"] != there["documentId"]
    assert [here["status"], there["status"]] == ["created", "created"]
    assert ann.found("Where do newts live?") == [TEXT, TEXT]


def test_without_an_id_the_content_is_its_identity(ann: Person, ingest: Any) -> None:
    content = {"content": b64encode(TEXT.encode()).decode(), "mediaType": "text/plain"}
    results = ingest({"text": TEXT}, {"text": TEXT}, content, {"text": TEXT + " "})
    assert [one["status"] for one in results] == ["created", "unchanged", "unchanged", "created"]
    assert len({one["documentId"] for one in results}) == 2
    path = ann.document(results[0]["documentId"])["path"]
    assert path == sha256(TEXT.encode()).hexdigest()
    [again] = ingest({"text": TEXT})
    assert (again["status"], again["documentId"]) == ("unchanged", results[0]["documentId"])


def test_an_id_is_no_v3_path(ann: Person, ingest: Any) -> None:
    body = {"source": "handbook", "path": "a", "title": "A", "text": "Efts live in the woods."}
    v3 = ann.ask("POST", "/api/rag/ingest", json=body).json()
    [result] = ingest({"id": "a", "text": TEXT})
    assert result["documentId"] != v3["documentId"]
    assert len(ann.found("Where do they live?")) == 2


WILD = '../ü?x=1#2 "\\ \t🦀'


def test_what_is_said_about_a_document_is_kept(server: Server, ann: Person, ingest: Any) -> None:
    metadata = {"n": 2**70, "f": 0.1, "deep": [{"a": None}], "": False, "ü": "🦀"}
    about = {"title": WILD, "tags": ["a", "b", "a"], "metadata": metadata, "url": "https://x/?a=b"}
    [result] = ingest({"id": WILD, "text": f"{TEXT}\0{WILD}", **about})
    document = ann.document(result["documentId"])
    assert (document["path"], document["text"]) == (WILD, f"{TEXT}\0{WILD}")
    assert (document["title"], document["tags"]) == (WILD, ["a", "b"])
    assert document["metadata"] == metadata
    kept = server.footnote.documents.get("acme", result["documentId"])
    assert kept is not None
    assert (kept.url, kept.data_source) == ("https://x/?a=b", "default")


def test_what_is_new_about_a_document_is_kept_though_its_content_is_the_same(
    server: Server, ann: Person, ingest: Any
) -> None:
    ingest({"id": "a", "text": TEXT, "title": "Old", "tags": ["old"]})
    [result] = ingest({"id": "a", "text": TEXT, "title": "New", "url": "https://new"})
    assert result["status"] == "unchanged"
    document = ann.document(result["documentId"])
    assert (document["title"], document["tags"]) == ("New", [])
    kept = server.footnote.documents.get("acme", result["documentId"])
    assert kept is not None
    assert kept.url == "https://new"


@pytest.mark.parametrize(
    ("document", "title", "name"),
    [
        ({"id": "i", "title": "t", "text": TEXT}, "t", "i"),
        ({"title": "t", "text": TEXT}, "t", "t"),
        ({"id": "i", "text": TEXT}, "i", "i"),
        ({"text": f"\n\n# {TEXT}\nMore."}, TEXT, TEXT),
        ({"text": "x" * 100}, "x" * 80 + "…", "x" * 80 + "…"),
        ({"id": "i" * 300, "text": TEXT}, "i" * 300, "i" * 200),
    ],
)
def test_a_document_has_a_title_and_a_name_in_its_job(
    ann: Person, ingest: Any, document: dict[str, str], title: str, name: str
) -> None:
    [result] = ingest(document)
    assert result["name"] == name
    assert ann.document(result["documentId"])["title"] == title


def test_chunks_are_as_large_as_was_asked_for(server: Server, ann: Person, ingest: Any) -> None:
    [whole] = ingest({"id": "a", "text": LONG}, chunkSize=8192)
    [fine] = ingest({"id": "a", "text": LONG}, chunkSize=64, chunkOverlap=0)
    [finer] = ingest({"id": "a", "text": LONG}, chunkSize=64, chunkOverlap=32)
    [usual] = ingest({"id": "a", "text": LONG})
    assert chunks(whole) == 1 < chunks(usual) < chunks(fine) < chunks(finer)
    assert {one["status"] for one in (fine, finer, usual)} == {"unchanged"}
    document = ann.document(usual["documentId"])
    assert (document["chunkCount"], document["text"]) == (chunks(usual), LONG)
    assert len(ann.found("How many newts does a pond hold?")) == chunks(usual)


@pytest.mark.parametrize("size", [8, 50, 51])
def test_small_chunks_need_no_word_about_their_overlap(ingest: Any, size: int) -> None:
    [result] = ingest({"text": LONG}, chunkSize=size)
    assert chunks(result) > 10


def test_a_source_has_only_what_was_sent_into_it(
    server: Server, ann: Person, bob: Person, ingest: Any
) -> None:
    ingest({"text": TEXT}, into=ann.source("personal"))
    assert ann.found("Where do newts live?") == [TEXT]
    assert bob.found("Where do newts live?") == []


def test_an_unfinished_job_does_not_hold_up_another_orgs(
    server: Server, ann: Person, zoe: Person
) -> None:
    first = ann.begin(*({"text": f"Newt {number}."} for number in range(30)))
    second = zoe.begin({"text": TEXT})
    for delivery in server.footnote.parts.queue.receive(2, seconds=60):
        server.footnote.worker.work(delivery)
        server.footnote.parts.queue.done(delivery)
    assert outcome(zoe.job(second)) == ["created"]
    assert ann.job(first)["progress"] == {"total": 30, "finished": 1}
