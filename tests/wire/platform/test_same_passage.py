"""The same story as a file of each format: what is in it is found, and told where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from tests.conftest import Server
from tests.wire.platform.conftest import Person, outcome
from tests.worker import work
from tests.writers import docx, epub, html, md, odt, pdf, pptx, rtf
from tests.writers.story import STORY, Heading, Paragraph, Story

# Some pages more, so that it is several chunks.
LONG = replace(
    STORY,
    elements=(
        *STORY.elements,
        *(
            element
            for place in ("Ponds", "Ditches", "Marshes", "Lakes", "Rivers", "Moors")
            for element in (
                Heading(2, place),
                Paragraph(
                    f"Of all that was written about {place.lower()} only a little is told here. "
                    + f"Whoever walks along the {place.lower()} of the north sees them. " * 12
                ),
            )
        ),
        Heading(2, "Travel"),
        Paragraph("On a train a newt travels in a box of wet moss, never in a jar of water."),
    ),
)


class Question(NamedTuple):
    query: str
    passage: str
    section: str
    slide: int
    page: int


QUESTIONS = (
    Question("How large is the tank of an adult pair?", "eighty litres", "Housing", 2, 1),
    Question("What does a juvenile eat?", "Bloodworm", "Feeding", 3, 1),
    Question("Where do the animals rest from November on?", "cellar", "Feeding › Winter", 4, 2),
    Question("How does a newt travel on a train?", "wet moss", "Travel", 12, 5),
)


class Format(NamedTuple):
    write: Callable[[Story], bytes]
    media_type: str


FORMATS = {
    "md": Format(md.write, "text/markdown"),
    "html": Format(html.write, "text/html"),
    "docx": Format(
        docx.write, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    ),
    "pdf": Format(pdf.write, "application/pdf"),
    "pptx": Format(
        pptx.write, "application/vnd.openxmlformats-officedocument.presentationml.presentation"
    ),
    "epub": Format(epub.write, "application/epub+zip"),
    "odt": Format(odt.write, "application/vnd.oasis.opendocument.text"),
    "rtf": Format(rtf.write, "application/rtf"),
}


def uploaded(server: Server, ann: Person, ending: str) -> dict[str, Any]:
    """The document that the story becomes."""
    data = FORMATS[ending].write(LONG)
    form = ann.form(
        filename=f"newts.{ending}", mediaType=FORMATS[ending].media_type, size=len(data)
    )
    answer = server.http.post(form["url"], data=form["fields"], files={"file": data})
    assert answer.status_code == 204, answer.text
    assert work(server.footnote) == []
    job = ann.job(form["jobId"])
    assert outcome(job) == ["created"], job
    assert "warnings" not in job["results"][0]
    return ann.document(job["results"][0]["documentId"])


@pytest.mark.parametrize("ending", FORMATS)
def test_the_same_question_finds_the_same_passage_and_its_place(
    server: Server, ann: Person, ending: str
) -> None:
    document = uploaded(server, ann, ending)
    assert document["title"] == STORY.title
    for question in QUESTIONS:
        asked = {"query": question.query, "topK": 1}
        best = ann.ask("POST", "/api/rag/search", json=asked).json()["results"][0]
        assert question.passage in best["text"]
        place = best["metadata"]
        if ending == "pptx":
            expected = question.section.rpartition(" › ")[2]
        else:
            expected = f"{STORY.title} › {question.section}"
        assert place["section"] == expected
        assert place.get("page") == {"pptx": question.slide, "pdf": question.page}.get(ending)
