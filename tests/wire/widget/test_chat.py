"""POST /api/v1/chat: answers for visitors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.answerers import Saying
from tests.conftest import Server
from tests.wire.widget.pages import (
    CHAINS,
    EMBODIED,
    EMBODIED_QUESTION,
    EXAMPLE_1,
    EXAMPLE_2,
    NEWTS,
    Pages,
)
from tests.wire.widget.visits import CHAT

SAID = "Embodied AI refers to systems with a physical presence [1]."


@pytest.fixture
def pages(server: Server) -> Pages:
    return Pages(server)


def check(body: dict[str, Any]) -> None:
    """All that the contract promises of every answer."""
    assert list(body) == ["answer", "sources", "metadata", "answer_id"]
    assert body["answer"].strip()
    assert body["answer_id"].startswith("ans_")
    assert len(body["sources"]) <= 5
    for source in body["sources"]:
        assert list(source) == ["id", "title", "url", "excerpt", "score", "n"]
        assert source["id"].startswith("cit_")
        assert 0 < len(source["excerpt"]) <= 200
        assert 0 <= source["score"] <= 1
    scores = [source["score"] for source in body["sources"]]
    falling = sorted(scores[1:], reverse=True)
    assert scores[1:] == falling
    assert not falling or scores[0] >= falling[0] - 0.05
    metadata = dict(body["metadata"])
    assert metadata.pop("model")
    assert list(metadata) == [
        "tokens_used",
        "retrieval_time_ms",
        "generation_time_ms",
        "total_time_ms",
    ]
    assert all(type(value) is int and value >= 0 for value in metadata.values())
    parts = metadata["retrieval_time_ms"] + metadata["generation_time_ms"]
    assert metadata["total_time_ms"] >= parts


def test_the_contracts_first_example(pages: Pages) -> None:
    headers = {"X-Site": pages.site}
    answer = pages.server.http.post(CHAT, json=EXAMPLE_1, headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-request-id"]
    body = answer.json()
    check(body)
    assert "Embodied AI refers to systems with a physical presence" in body["answer"]
    (source,) = body["sources"]
    assert source["title"] == "Chapter 2: Embodied AI"
    assert source["url"] == "/docs/module-2-embodied/fundamentals.md#what-is-embodied-ai"
    assert "Embodied AI refers to" in source["excerpt"]
    assert f"[{source['n']}]" in body["answer"]


def test_the_contracts_second_example(pages: Pages) -> None:
    headers = {"X-Site": pages.site}
    answer = pages.server.http.post(CHAT, json=EXAMPLE_2, headers=headers)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    check(body)
    assert body["sources"][0]["url"] == "/docs/module-3-humanoid/kinematics.md#chains"


def test_a_language_models_answer(start: Callable[..., Server]) -> None:
    pages = Pages(start(answerer=Saying([SAID])))
    body = pages.ask()
    check(body)
    assert body["answer"] == SAID
    assert (body["metadata"]["model"], body["metadata"]["tokens_used"]) == ("saying", 15)
    assert [one["title"] for one in body["sources"]] == ["Chapter 2: Embodied AI"]
    again = pages.ask()
    assert again["metadata"]["tokens_used"] == 0
    assert again["answer_id"] != body["answer_id"]
    for told in (body, again):
        del told["metadata"], told["answer_id"]
    assert again == body


def test_a_refusal_is_an_answer_without_sources(pages: Pages) -> None:
    body = pages.ask("Who was the emperor of Rome?")
    check(body)
    assert body["answer"].startswith("The documents do not say. ")
    assert "emperor of Rome" in body["answer"]
    assert body["sources"] == []


def test_so_is_that_of_a_site_that_shows_nothing(server: Server) -> None:
    answer = server.http.post(CHAT, json=EXAMPLE_1)
    assert answer.status_code == 200, answer.text
    check(answer.json())
    assert answer.json()["answer"] == "The documents do not say."
    assert answer.json()["sources"] == []


def test_at_most_five_sources_are_shown_best_first(pages: Pages) -> None:
    for n in range(9):
        name = "one two three four five six seven eight nine".split()[n]
        text = f"A newt of pond {name} sleeps under the stone called {name * 3} in winter."
        pages.tell(f"ponds/{name}", f"Pond {name}", text)
    body = pages.ask("Where does a newt sleep in winter?")
    check(body)
    assert len(body["sources"]) == 5


def ids(pages: Pages) -> list[str]:
    return [one["id"] for one in pages.ask()["sources"]]


def test_a_source_keeps_its_id_as_long_as_its_content_stays(pages: Pages) -> None:
    path, title = "docs/long.md", "Long"
    other = "".join(f"Of hills and of rivers, number {n}, much can be said. " for n in range(60))
    whole = f"{EMBODIED}\n\n## Hills\n\n{other}"
    pages.server.footnote.ingestion.delete("local", pages.tell(*one(EMBODIED)))
    document = pages.tell(path, title, whole)
    first = ids(pages)
    assert first
    pages.tell(path, title, whole)
    assert ids(pages) == first
    pages.tell(path, "Another title", whole)
    assert ids(pages) == first
    assert pages.server.footnote.ingestion.delete("local", document)
    assert ids(pages) == []
    pages.tell(path, title, whole)
    assert ids(pages) == first
    pages.tell(path, title, whole + "At its end there is something new to say of mountains.")
    assert ids(pages) == first
    pages.tell(path, title, whole.replace("such as robots", "such as cars"))
    assert ids(pages) != first


def one(text: str) -> tuple[str, str, str]:
    return "docs/module-2-embodied/fundamentals.md", "Chapter 2: Embodied AI", text


def test_the_selection_is_the_first_context_and_no_source(start: Callable[..., Server]) -> None:
    writer = Saying(["Each joint adds independent motion [0][1]."])
    pages = Pages(start(answerer=writer))
    selection = "Each joint of its chain adds independent motion."
    body = pages.ask("Explain this", mode="chat", selected_text=selection)
    check(body)
    prompt = writer.asked[0].messages[0].content
    assert prompt.index(selection) < prompt.index(CHAINS[:20])
    assert "[0]" not in body["answer"]
    assert all(selection not in one["excerpt"] for one in body["sources"])
    assert [one["title"] for one in body["sources"]] == ["Chapter 3: Kinematic Chains"]


def test_the_selection_steers_what_is_found(pages: Pages) -> None:
    assert pages.ask("Explain this")["sources"] == []
    for selection, title in ((NEWTS, "Newts"), (CHAINS, "Chapter 3: Kinematic Chains")):
        body = pages.ask("Explain this", mode="chat", selected_text=selection)
        assert body["sources"][0]["title"] == title
    ignored = pages.ask("Explain this", mode="browse", selected_text=NEWTS)
    assert ignored["sources"] == []


def test_an_unrelated_question_names_its_gap_whatever_is_selected(pages: Pages) -> None:
    body = pages.ask("Who was the emperor of Rome?", mode="chat", selected_text=CHAINS)
    assert "“emperor of Rome”" in body["answer"]
    assert body["sources"] == []


@pytest.mark.parametrize(
    ("page", "first"),
    [
        ("https://a.example/docs/b?x=1", "/docs/b.md"),
        ("/docs/a", "/docs/a.md"),
        ("/docs/newts", "/docs/a.md"),
        (None, "/docs/a.md"),
    ],
)
def test_the_pages_own_document_goes_first_where_it_is_as_good(
    server: Server, page: str | None, first: str
) -> None:
    pages = Pages(server, documents=False)
    for name, hour in (("a", "nine"), ("b", "ten")):
        pages.tell(f"docs/{name}.md", "Doors", f"Doors are closed at {hour}.")
    pages.tell("docs/newts.md", "Newts", NEWTS)
    body = pages.ask("When are doors closed?", page_url=page)
    check(body)
    assert body["sources"][0]["url"] == first


def test_visitors_see_nothing_that_the_site_does_not_list(pages: Pages) -> None:
    secret = {"source": "s", "path": "p", "title": "Secret", "text": f"Secretly, {EMBODIED}"}
    before = pages.ask()
    assert pages.server.http.post("/api/rag/ingest", json=secret).status_code == 200
    after = pages.ask()
    for told in (before, after):
        del told["metadata"], told["answer_id"]
    assert after == before


def test_an_answer_can_be_rated(pages: Pages) -> None:
    answer = pages.send(EXAMPLE_1).json()
    rating = {"answer_id": answer["answer_id"], "session_id": EXAMPLE_1["context"]["session_id"]}  # type: ignore[index]
    headers = {"X-Site": pages.site}
    told = pages.server.http.post(
        "/api/v1/feedback", json={**rating, "helpful": True}, headers=headers
    )
    assert told.status_code == 200, told.text
    (row,) = pages.server.http.get("/api/v1/feedback").json()["feedback"]
    assert row["question"] == EMBODIED_QUESTION
    assert [one["id"] for one in row["sources"]] == [one["id"] for one in answer["sources"]]
