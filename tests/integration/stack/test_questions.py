"""Platform's questions through the gateway: found, answered, refused; one corpus for all tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from tests.integration.stack.conftest import Org, Running, running_in
from tests.wire.platform.questions import (
    QUERY,
    QUESTION,
    RETRIEVE,
    UNANSWERABLE,
    asked,
    codes,
    events,
    refused,
    tell,
)

pytestmark = pytest.mark.integration

ALL = {"Hotels", "Trains", "Newts"}
HOSTELS = {"id": "hostels", "title": "Hostels", "text": "Hostel rooms cost 30 euros a night."}
RIGHT = "Hotel rooms cost up to 140 euros a night [1]."


class Told(NamedTuple):
    """Who was told the documents, and the data source of Ann's own among them."""

    org: str
    ids: dict[str, str]
    hidden: str


@pytest.fixture(scope="module")
def told(shared: Path) -> Told:
    with running_in(shared) as running:
        org = Org(running)
        ids, hidden = tell(org.http), org.source("personal")
        job = org.ended(org.send(hidden, HOSTELS)["jobId"])
        assert job["status"] == "completed", job
        return Told(org.name, ids, hidden)


@pytest.fixture
def org(running: Running, told: Told) -> Org:
    return Org(running, told.org)


@pytest.fixture
def http(org: Org) -> httpx.Client:
    """Of Bob, who sees what all members see."""
    return org.client("bob")


def found(http: httpx.Client, query: str = QUESTION, **more: Any) -> dict[str, Any]:
    answer = http.post(RETRIEVE, json={"query": query, **more})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def titles(body: dict[str, Any]) -> list[str]:
    return [document["title"] for document in body["documents"]]


def test_the_most_relevant_is_found_first_by_each_way_of_ranking(http: httpx.Client) -> None:
    body = found(http)
    assert set(body) == {"documents", "scores", "totalFound", "dataSources", "warnings"}
    assert set(titles(body)) == ALL
    assert (body["totalFound"], body["dataSources"], body["warnings"]) == (3, ["default"], [])
    for more in ({}, {"rerank": False}, {"rerankModel": "lexical"}):
        best = found(http, topK=2, **more)
        assert titles(best)[0] == "Hotels", more
        assert best["scores"] == sorted(best["scores"], reverse=True)
        assert (len(best["documents"]), best["totalFound"]) == (2, 3)
    unknown = http.post(RETRIEVE, json={"query": QUESTION, "rerankModel": "none"})
    assert refused(unknown, 400, None)["details"]["field"] == "rerankModel"


def test_a_search_is_narrowed_before_it_ranks(http: httpx.Client, told: Told) -> None:
    for field, op, value, expected in (
        ("tags", "in", ["hotels", "newts"], {"Hotels", "Newts"}),
        ("tags", "nin", ["hotels", "newts"], {"Trains"}),
        ("title", "eq", "Trains", {"Trains"}),
        ("document", "ne", told.ids["Trains"], {"Hotels", "Newts"}),
        ("source", "eq", "handbook", ALL),
        ("metadata.year", "eq", 2021, {"Trains"}),
        ("year", "eq", "2021", set()),
        ("year", "gt", 2020, {"Trains", "Newts"}),
        ("year", "lte", 2020.5, {"Hotels"}),
        ("due", "gte", "2021-05-01T00:00:00Z", {"Trains", "Newts"}),
        ("due", "lt", "2021-05-01", {"Hotels"}),
        ("author", "exists", False, ALL),
        ("url", "exists", True, set()),
    ):
        filters = [{"field": field, "op": op, "value": value}]
        body = found(http, topK=len(expected) or 1, filters=filters)
        assert set(titles(body)) == expected, filters
        assert body["totalFound"] == len(expected), filters
        assert codes(body) == ([] if expected else ["NO_RESULTS"])
    wrong = [{"field": "title", "op": "gt", "value": 5}]
    answer = http.post(RETRIEVE, json={"query": QUESTION, "filters": wrong})
    assert refused(answer, 400, None)["details"]["field"] == "filters.0.op"


def test_an_answer_points_at_the_very_words(http: httpx.Client, told: Told) -> None:
    body = asked(http, temperature=0.5, model="extractive-mini")
    assert (body["answer"], body["warnings"]) == (RIGHT, [])
    [cited] = body["citationsUsed"]
    assert (cited["n"], cited["documentId"]) == (1, told.ids["Hotels"])
    assert body["answer"][cited["answerStart"] : cited["answerEnd"]] == RIGHT
    whole = http.get(f"/api/rag/documents/{cited['documentId']}").json()["text"]
    assert whole[cited["start"] : cited["end"]] == cited["quote"] != ""
    assert (body["grounding"]["outcome"], body["grounding"]["gaps"]) == ("answer", [])
    assert body["metadata"]["model"] == "extractive-mini"


def test_the_events_of_an_answer_end_with_all_of_it(http: httpx.Client) -> None:
    whole = asked(http)
    [sources, *texts, done] = events(http.post(QUERY, json={"query": QUESTION, "stream": True}))
    assert sources == {"type": "sources", "documents": whole["documents"]}
    assert {event["type"] for event in texts} == {"text"}
    assert "".join(event["text"] for event in texts) == whole["answer"]
    for body in (whole, done):
        del body["metadata"]["milliseconds"]
    assert done == {"type": "done", **whole}


def test_what_the_documents_do_not_say_is_not_made_up(http: httpx.Client) -> None:
    both = f"{QUESTION} Who was the emperor of Rome?"
    partly = asked(http, both)
    assert partly["grounding"]["outcome"] == "partial"
    assert "140 euros" in partly["answer"]
    nothing = asked(http, UNANSWERABLE)
    assert (nothing["grounding"]["outcome"], nothing["citationsUsed"]) == ("abstain", [])
    assert nothing["answer"].startswith("The documents do not say.")
    for body in (partly, nothing):
        assert any("emperor of Rome" in gap for gap in body["grounding"]["gaps"])
    for more in ({}, {"stream": True}):
        strictly = {"query": UNANSWERABLE, "strictMode": True, **more}
        told = refused(http.post(QUERY, json=strictly), 422, "INSUFFICIENT_CONTEXT")
        assert told["details"]["gaps"] == nothing["grounding"]["gaps"]


def test_a_prompt_is_the_callers_own_as_long_as_it_can_be_filled(http: httpx.Client) -> None:
    body = asked(http, template="{context}\n{query}", maxTokens=240)
    assert body["answer"] == RIGHT
    assert 0 < body["metadata"]["tokens"]["context"] <= 240
    assert body["metadata"]["tokens"]["prompt"] <= 240
    for more, status, code in (
        ({"template": "{context}"}, 400, "TEMPLATE_ERROR"),
        ({"maxTokens": 10}, 422, "CONTEXT_OVERFLOW"),
        ({"maxTokens": 0}, 400, None),
        ({"model": "none"}, 400, None),
    ):
        refused(http.post(QUERY, json={"query": QUESTION, **more}), status, code)


def test_an_explanation_tells_only_admins_that_there_is_more(org: Org, http: httpx.Client) -> None:
    explained = asked(http, explain=True)["explain"]
    stages = {"retrieve", "fuse", "rerank", "assemble", "ground", "answer", "milliseconds"}
    assert set(explained) == stages
    assert "hiddenDocuments" not in explained["retrieve"]
    admin = org.client("root", roles=["admin"])
    assert asked(admin, explain=True)["explain"]["retrieve"]["hiddenDocuments"] == 1
    assert found(admin, explain=True)["explain"]["retrieve"]["hiddenDocuments"] == 1


def test_nobody_finds_what_is_not_theirs(
    org: Org, http: httpx.Client, running: Running, told: Told
) -> None:
    own = found(org.http, dataSources=[told.hidden])
    assert (titles(own), own["dataSources"]) == (["Hostels"], [told.hidden])
    assert "30 euros" in asked(org.http, "What do hostel rooms cost?")["answer"]
    assert "30 euros" not in asked(http, "What do hostel rooms cost?")["answer"]
    stranger = Org(running).http
    assert codes(found(stranger)) == codes(asked(stranger)) == ["NO_RESULTS"]
    for path in (RETRIEVE, QUERY):
        for who in (http, stranger):
            refusals = []
            for source in (told.hidden, "src_none"):
                answer = who.post(path, json={"query": QUESTION, "dataSources": [source]})
                refusals.append(refused(answer, 404, None)["message"].replace(source, "it"))
            assert refusals[0] == refusals[1]
