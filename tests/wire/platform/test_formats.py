"""Files in jobs: what is told of them, where their passages are, and what bad ones leave alone."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from tests.conftest import Server
from tests.wire.platform.conftest import Person, outcome
from tests.worker import work
from tests.writers import docx, pdf, pptx
from tests.writers.story import STORY

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
QUESTION = "At how many degrees do the animals rest in winter?"


def sent(data: bytes, media_type: str, **more: Any) -> dict[str, Any]:
    return {"content": b64encode(data).decode(), "mediaType": media_type, **more}


def best(person: Person, query: str = QUESTION) -> dict[str, Any]:
    answer = person.ask("POST", "/api/rag/search", json={"query": query, "topK": 1})
    found: dict[str, Any] = answer.json()["results"][0]
    return found


@pytest.mark.parametrize(
    ("data", "media_type", "place"),
    [
        (docx.write(STORY), DOCX, {"section": f"{STORY.title} › Feeding › Winter"}),
        (
            pdf.write(STORY),
            "application/pdf",
            {"section": f"{STORY.title} › Feeding › Winter", "page": 2},
        ),
        (pptx.write(STORY), "application/octet-stream", {"section": "Winter", "page": 4}),
    ],
)
def test_a_file_is_found_with_the_place_of_the_passage(
    server: Server, ann: Person, data: bytes, media_type: str, place: dict[str, Any]
) -> None:
    id = ann.begin(sent(data, media_type, metadata={"author": "Somebody else", "shelf": 3}))
    work(server.footnote)
    [result] = ann.job(id)["results"]
    assert result["status"] == "created"
    assert "warnings" not in result
    hit = best(ann)
    assert "six degrees" in hit["text"]
    metadata = hit["metadata"]
    assert {key: metadata[key] for key in ("page", "section") if key in metadata} == place
    document = ann.document(result["documentId"])
    assert document["title"] == STORY.title
    assert document["metadata"]["author"] == "Somebody else"
    assert document["metadata"]["shelf"] == 3
    assert document["metadata"]["created"].startswith(STORY.created)

    body = {"message": QUESTION, "useRag": True, "ragTopK": 1}
    [source] = ann.ask("POST", "/api/chat", json=body).json()["ragSources"]
    assert {key: source[key] for key in ("page", "section") if key in source} == place


@pytest.mark.parametrize("data", [docx.write(STORY), pdf.write(STORY), pptx.write(STORY)])
def test_the_same_file_again_is_unchanged(server: Server, ann: Person, data: bytes) -> None:
    results = []
    for _ in range(2):
        id = ann.begin(sent(data, "application/octet-stream"))
        work(server.footnote)
        results += ann.job(id)["results"]
    assert [one["status"] for one in results] == ["created", "unchanged"]
    assert results[0]["documentId"] == results[1]["documentId"]


def test_a_result_shows_the_header_of_its_rows(server: Server, ann: Person) -> None:
    rows = "".join(f"creature {n},{n} degrees\n" for n in range(200))
    ann.begin(sent(f"animal,temperature\n{rows}".encode(), "text/csv"))
    work(server.footnote)
    hit = best(ann, "temperature of creature 177")
    assert hit["metadata"]["chunkIndex"] > 0
    assert hit["text"].startswith("| animal | temperature |\n| creature ")
    assert "| creature 177 | 177 degrees |" in hit["text"]


def test_a_file_that_is_not_what_its_sender_says_is_read_with_a_warning(
    server: Server, ann: Person
) -> None:
    id = ann.begin(sent(docx.write(STORY), "application/pdf"))
    work(server.footnote)
    job = ann.job(id)
    assert outcome(job) == ["created"]
    [warning] = job["results"][0]["warnings"]
    assert warning["code"] == "FORMAT_MISMATCH"
    assert "is a Word document, not a PDF" in warning["message"]


def test_a_bad_file_is_named_and_harms_no_other(server: Server, ann: Person) -> None:
    whole = docx.write(STORY)
    id = ann.begin(
        sent(whole[: len(whole) // 2], DOCX, id="half"),
        sent(b"%PDF-1.7\nnothing", "application/pdf", id="broken"),
        sent(b'{"a": [1', "application/json", id="open"),
        sent(whole, DOCX, id="whole"),
    )
    work(server.footnote)
    job = ann.job(id)
    assert outcome(job) == ["PARSE_ERROR"] * 3 + ["created"]
    for one in job["results"][:3]:
        assert one["failure"]["message"].startswith("A document of type 'application/")
        assert one["failure"]["message"].endswith(".")
    assert server.footnote.parts.dead.receive(seconds=0) == []  # nobody could mend those
