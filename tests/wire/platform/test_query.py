"""POST /api/rag/query: sub-contracts 3 to 5, in one piece."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from rag.adapters.openai.judge import OpenAIJudge
from rag.answering import Verdict
from tests.conftest import Server
from tests.loopback import RETRIES, OpenAIApi
from tests.wire.platform.questions import (
    HOTELS,
    QUERY,
    QUESTION,
    UNANSWERABLE,
    asked,
    codes,
    refused,
    tell,
)
from tests.wire.platform.writers import Arbiter, Writer

# The evidence leaves it open whether this is answered.
DOUBTFUL = "Does the travel desk pay for breakfast?"
SOURCE = re.compile(r'<source-\d+ n="(\d+)" title="(\w+)">')
RIGHT = "Hotel rooms cost up to 140 euros a night [1]."


def test_without_a_language_model_the_words_themselves_are_the_answer(http: httpx.Client) -> None:
    ids = tell(http)
    body = asked(http)
    assert set(body) == {
        "answer", "citationsUsed", "confidence", "grounding", "documents", "scores", "totalFound",
        "dataSources", "warnings", "metadata",
    }  # fmt: skip
    assert "140 euros" in body["answer"]
    first = body["citationsUsed"][0]
    assert (first["documentId"], first["title"], first["n"]) == (ids["Hotels"], "Hotels", 1)
    assert (first["dataSourceId"], first["url"]) == ("default", None)
    assert body["metadata"]["model"] == "extractive"
    assert body["metadata"]["tokens"]["context"] > 0
    assert {"assemble", "ground", "answer"} <= set(body["metadata"]["milliseconds"])
    assert body["confidence"] == body["grounding"]["groundingScore"]


@pytest.mark.parametrize("writer", [None, Writer(RIGHT)])
def test_every_citation_points_at_the_very_words(
    start: Callable[..., Server], writer: Writer | None
) -> None:
    http = start(answerer=writer).http
    tell(http)
    body = asked(http)
    assert body["citationsUsed"]
    for one in body["citationsUsed"]:
        document = http.get(f"/api/rag/documents/{one['documentId']}").json()
        assert document["text"][one["start"] : one["end"]] == one["quote"]
        said = body["answer"][one["answerStart"] : one["answerEnd"]]
        assert f"[{one['n']}]" in said


def test_what_the_documents_do_not_say_is_said_with_what_is_missing(http: httpx.Client) -> None:
    tell(http)
    body = asked(http, UNANSWERABLE)
    grounding = body["grounding"]
    assert (grounding["isGroundable"], grounding["outcome"]) == (False, "abstain")
    assert grounding["groundingScore"] < 0.1
    assert grounding["relevantDocs"] == body["citationsUsed"] == []
    assert any("emperor of Rome" in gap for gap in grounding["gaps"])
    assert body["answer"].startswith("The documents do not say.")
    assert body["confidence"] == 0


def test_where_nothing_is_found_that_is_a_warning(http: httpx.Client) -> None:
    body = asked(http)
    assert codes(body) == ["NO_RESULTS"]
    assert (body["documents"], body["totalFound"]) == ([], 0)
    assert body["grounding"]["isGroundable"] is False


def test_strictly_what_the_documents_do_not_say_is_refused(http: httpx.Client) -> None:
    for ingest in (False, True):
        if ingest:
            tell(http)
        answer = http.post(QUERY, json={"query": UNANSWERABLE, "strictMode": True})
        body = refused(answer, 422, "INSUFFICIENT_CONTEXT")
        assert body["details"]["groundingScore"] < 0.1
        assert body["details"]["gaps"]
    assert asked(http, strictMode=True)["grounding"]["isGroundable"] is True


def test_a_refusal_is_explained_where_that_is_asked_for(server: Server) -> None:
    tell(server.http)
    body = {"query": UNANSWERABLE, "strictMode": True, "explain": True}
    for more in ({}, {"stream": True}):
        answer = server.http.post(QUERY, json={**body, **more})
        details = refused(answer, 422, "INSUFFICIENT_CONTEXT")["details"]
        explained = details["explain"]
        assert [*explained] == ["retrieve", "fuse", "rerank", "assemble", "ground", "milliseconds"]
        assert explained["ground"]["score"] == details["groundingScore"]
        assert explained["ground"]["gaps"] == details["gaps"]
        assert "ground" in explained["milliseconds"]
        assert server.line(answer)["usage"] == {"questions": 1, "abstained": 1}
    plain = server.http.post(QUERY, json={**body, "explain": False}).json()
    assert set(plain["details"]) == {"groundingScore", "gaps"}


def test_nobody_is_asked_to_write_what_cannot_be_known(start: Callable[..., Server]) -> None:
    writer = Writer("Nero was.")
    http = start(answerer=writer).http
    tell(http)
    assert "Nero" not in asked(http, UNANSWERABLE)["answer"]
    assert writer.asked == []


def test_a_language_model_writes_from_the_prompt_alone(start: Callable[..., Server]) -> None:
    writer = Writer("Hotel rooms cost up to ", "140 euros a night [1].")
    http = start(answerer=writer).http
    tell(http)
    body = asked(http, model="big", temperature=0.5)
    assert body["answer"] == RIGHT
    assert [one["n"] for one in body["citationsUsed"]] == [1]
    assert (body["metadata"]["model"], body["warnings"]) == ("writer-1", [])
    tokens = body["metadata"]["tokens"]
    assert (tokens["prompt"], tokens["completion"]) == (40, 8)
    assert body["confidence"] == body["grounding"]["groundingScore"]
    [ask] = writer.asked
    assert (ask.model, ask.options) == ("big", {"temperature": 0.5})
    assert HOTELS in ask.messages[0].content
    assert QUESTION in ask.messages[0].content


def test_a_prompt_of_ones_own_is_filled_once(start: Callable[..., Server]) -> None:
    writer = Writer(RIGHT)
    http = start(answerer=writer).http
    tell(http)
    body = {
        "source": "s",
        "path": "p",
        "title": "{query}",
        "text": "{context} Hostel rooms cost 30 euros a night.",
    }
    http.post("/api/rag/ingest", json=body)
    asked(http, template="A {{brace}}. {context} That was it. {query}")
    prompt = writer.asked[0].messages[0].content
    assert prompt.startswith("A {brace}. <source-")
    assert prompt.count(QUESTION) == 1
    assert "{context}" in prompt


@pytest.mark.parametrize(
    ("template", "told"),
    [
        ("{context}", "lacks the slot {query}"),
        ("{query}", "lacks the slot {context}"),
        ("{context} {query} {user}", "no slot {user}"),
        ("{context} {query} {", "single {"),
    ],
)
def test_a_template_that_cannot_be_filled_is_refused(
    http: httpx.Client, template: str, told: str
) -> None:
    body = refused(
        http.post(QUERY, json={"query": "q", "template": template}), 400, "TEMPLATE_ERROR"
    )
    assert body["details"]["field"] == "template"
    assert told in body["message"]


def test_a_prompt_without_room_for_one_passage_is_refused(http: httpx.Client) -> None:
    tell(http)
    needed = refused(
        http.post(QUERY, json={"query": QUESTION, "maxTokens": 30}), 422, "CONTEXT_OVERFLOW"
    )["details"]["needed"]
    assert asked(http, maxTokens=needed)["metadata"]["tokens"]["context"] <= needed
    refused(
        http.post(QUERY, json={"query": QUESTION, "maxTokens": needed - 1}), 422, "CONTEXT_OVERFLOW"
    )


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Newts are the national animal of Peru.", ["CONTEXT_IGNORED", "NOT_GROUNDED"]),
        ("Hotel rooms cost up to 150 euros a night [1].", ["NOT_GROUNDED"]),
    ],
)
def test_nothing_is_answered_that_no_source_holds(
    start: Callable[..., Server], written: str, expected: list[str]
) -> None:
    http = start(answerer=Writer(written)).http
    tell(http)
    body = asked(http)
    assert codes(body) == expected
    assert written not in body["answer"]
    assert HOTELS[:40] in body["answer"]


def test_an_unsupported_sentence_is_reported_and_strictly_left_out(
    start: Callable[..., Server],
) -> None:
    wrong = "Hotel rooms in Paris cost up to 990 euros a night [1]."
    http = start(answerer=Writer(f"{RIGHT} {wrong}")).http
    tell(http)
    free, strict = asked(http), asked(http, strictMode=True)
    assert free["answer"] == f"{RIGHT} {wrong}"
    assert strict["answer"] == RIGHT
    for body in (free, strict):
        assert codes(body) == ["NOT_GROUNDED"]
        assert "990" in body["warnings"][0]["message"]
        assert body["confidence"] < body["grounding"]["groundingScore"]


def test_a_language_model_that_fails_is_a_503(start: Callable[..., Server]) -> None:
    http = start(answerer=Writer(breaks_off=True)).http
    tell(http)
    for more in ({}, {"stream": True}):
        answer = http.post(QUERY, json={"query": QUESTION, **more})
        refused(answer, 503, "GENERATION_FAILED")


@pytest.mark.parametrize(
    "verdict", [Verdict("partly", ("the price in winter",)), Verdict("no"), None]
)
def test_a_second_judge_counts_and_does_without_where_it_fails(
    start: Callable[..., Server], verdict: Verdict | None
) -> None:
    http = start(judge=Arbiter(verdict)).http
    tell(http)
    body = asked(http, explain=True)
    judges = body["explain"]["ground"]["judgedBy"]
    assert judges == (["states", "arbiter"] if verdict else ["states"])
    alone = asked(start().http)["grounding"]
    if verdict is None:
        assert body["grounding"]["groundingScore"] == alone["groundingScore"]
    else:
        assert body["grounding"]["groundingScore"] < alone["groundingScore"]
        assert body["grounding"]["outcome"] != "answer"
        assert body["grounding"]["gaps"]


@pytest.mark.parametrize("kind", ["500", "429", "400", "drop", "malformed"])
def test_strictly_a_judge_that_fails_where_it_is_needed_is_a_503(
    start: Callable[..., Server], openai_api: OpenAIApi, kind: str
) -> None:
    server = start(judge=OpenAIJudge(openai_api.client, "extractive", RETRIES))
    tell(server.http)
    openai_api.fail(kind, times=100, path="/v1/chat")
    for more in ({}, {"stream": True}):
        body = {"query": DOUBTFUL, "strictMode": True, **more}
        refused(server.http.post(QUERY, json=body), 503, "GROUNDING_FAILED")
    # Where nobody insists, or nobody doubts, it can be done without.
    assert asked(server.http, DOUBTFUL)["grounding"]["outcome"] == "partial"
    assert asked(server.http, strictMode=True)["grounding"]["outcome"] == "answer"


def test_what_is_irrelevant_leaves_the_prompt_and_numbers_stay(
    start: Callable[..., Server],
) -> None:
    writer = Writer(RIGHT)
    http = start(answerer=writer).http
    ids = tell(http)
    other = "Trains are booked in which class, and what do newts eat?"
    for query, relevant in ((QUESTION, ["Hotels"]), (other, ["Trains", "Newts"])):
        body = asked(http, query)
        found = [one["id"] for one in body["documents"]]
        assert {*found} == {*ids.values()}
        kept = [one["id"] for one in body["grounding"]["relevantDocs"]]
        assert {*kept} == {ids[title] for title in relevant}
        sources = SOURCE.findall(writer.asked[-1].messages[0].content)
        assert sources == [(str(found.index(ids[title]) + 1), title) for _, title in sources]
        assert {title for _, title in sources} == {*relevant}


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"temperature": 3}, "temperature"),
        ({"temperature": "hot"}, "temperature"),
        ({"maxTokens": 0}, "maxTokens"),
        ({"stream": "yes"}, "stream"),
        ({"strictMode": 1}, "strictMode"),
        ({"topK": 1000}, "topK"),
        ({"filters": [{"field": "year", "op": "gt", "value": "new"}]}, "filters.0.value"),
    ],
)
def test_what_breaks_a_rule_is_refused_by_its_field(
    http: httpx.Client, more: dict[str, Any], field: str
) -> None:
    body = refused(http.post(QUERY, json={"query": "q", **more}), 400, None)
    assert body["details"]["field"] == field


def test_an_explanation_tells_of_every_stage_of_the_same_run(start: Callable[..., Server]) -> None:
    wrong = "Hotel rooms in Paris cost up to 990 euros a night [1]."
    http = start(answerer=Writer(f"{RIGHT} {wrong}")).http
    tell(http)
    plain, told = asked(http, strictMode=True), asked(http, strictMode=True, explain=True)
    explained = told.pop("explain")
    for body in (plain, told):
        del body["metadata"]["milliseconds"]
    assert told == plain
    assert [*explained] == [
        "retrieve", "fuse", "rerank", "assemble", "ground", "answer", "milliseconds",
    ]  # fmt: skip
    assert explained["assemble"]["tokenCount"] <= 4000
    assert explained["ground"]["score"] == plain["grounding"]["groundingScore"]
    assert explained["ground"]["thresholds"] == {"hopeless": 0.1, "doubtful": 0.4, "good": 0.5}
    assert {one["title"] for one in explained["rerank"]["scores"]} == {"Hotels", "Trains", "Newts"}
    assert set(explained["ground"]["features"]) >= {"closeness", "coverage", "names"}
    kept = [one["kept"] for one in explained["answer"]["sentences"]]
    assert kept == [True, False]
    assert explained["answer"]["sentences"][1]["against"]


def test_what_is_counted_is_logged(start: Callable[..., Server]) -> None:
    server = start(answerer=Writer(RIGHT))
    tell(server.http)
    answer = server.http.post(QUERY, json={"query": UNANSWERABLE})
    assert server.line(answer)["usage"] == {"questions": 1, "abstained": 1}
