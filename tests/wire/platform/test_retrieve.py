"""POST /api/rag/retrieve: sub-contract 2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import httpx
import pytest

from infra.local.pinecone_server import PineconeServer
from rag.adapters.embedded.late_interaction import LateInteraction
from rag.adapters.pinecone import PineconeReranker
from rag.adapters.pinecone.connect import connect_inference
from rag.errors import EmbeddingFailed, IndexUnavailable, RerankFailed
from rag.model import Excerpt, Question
from tests.conftest import Server
from tests.wire.platform.questions import (
    HOTELS,
    QUERY,
    QUESTION,
    RETRIEVE,
    asked,
    codes,
    refused,
    tell,
)


class Failing(LateInteraction):
    """A reranker that is down."""

    def rerank(self, question: Question, excerpts: Sequence[Excerpt]) -> list[float]:
        raise RerankFailed("down")


def found(http: httpx.Client, **more: Any) -> dict[str, Any]:
    answer = http.post(RETRIEVE, json={"query": QUESTION, **more})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def titles(body: dict[str, Any]) -> list[str]:
    return [one["title"] for one in body["documents"]]


def test_documents_come_by_relevance_with_all_that_the_contract_names(http: httpx.Client) -> None:
    ids = tell(http)
    body = found(http, topK=2)
    assert set(body) == {"documents", "scores", "totalFound", "dataSources", "warnings"}
    assert body["documents"][0] == {
        "id": ids["Hotels"], "title": "Hotels", "text": HOTELS, "dataSourceId": "default",
        "url": None, "tags": ["hotels"],
        "metadata": {
            "year": 2020, "due": "2020-05-01", "chunkIndex": 0, "start": 0, "end": len(HOTELS),
        },
    }  # fmt: skip
    assert len(body["documents"]) == len(body["scores"]) == 2
    assert body["scores"] == sorted(body["scores"], reverse=True)
    assert (body["totalFound"], body["dataSources"], body["warnings"]) == (3, ["default"], [])


def test_what_a_sender_calls_page_or_section_is_preserved(http: httpx.Client) -> None:
    body = {"source": "s", "path": "p", "title": "Hotels", "text": HOTELS}
    http.post("/api/rag/ingest", json={**body, "metadata": {"page": "xii", "chunkIndex": "a"}})
    assert found(http)["documents"][0]["metadata"] == {
        "page": "xii", "chunkIndex": "a", "start": 0, "end": len(HOTELS),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ([("year", "gte", 2021)], {"Trains", "Newts"}),
        ([("due", "lt", "2021-01-01")], {"Hotels"}),
        ([("tags", "in", ["newts", "hotels"]), ("year", "ne", 2020)], {"Newts"}),
        ([("title", "eq", "Trains")], {"Trains"}),
        ([("source", "nin", ["handbook"])], set()),
        ([("metadata.author", "exists", False)], {"Hotels", "Trains", "Newts"}),
        ([], {"Hotels", "Trains", "Newts"}),
    ],
)
def test_filters_narrow_what_is_found_and_counted(
    http: httpx.Client, filters: list[Any], expected: set[str]
) -> None:
    tell(http)
    body = found(
        http, filters=[{"field": field, "op": op, "value": value} for field, op, value in filters]
    )
    assert {*titles(body)} == expected
    assert body["totalFound"] == len(expected)
    assert codes(body) == ([] if expected else ["NO_RESULTS"])


def test_a_filter_by_document_takes_the_id_that_is_returned(http: httpx.Client) -> None:
    id = tell(http)["Trains"]
    body = found(http, filters=[{"field": "document", "op": "eq", "value": id}])
    assert titles(body) == ["Trains"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "query"),
        ({"query": " "}, "query"),
        ({"query": "q", "topK": 0}, "topK"),
        ({"query": "q", "topK": 101}, "topK"),
        ({"query": "q", "topK": 2.5}, "topK"),
        ({"query": "q", "rerank": "no"}, "rerank"),
        ({"query": "q", "dataSources": "default"}, "dataSources"),
        ({"query": "q", "filters": {"source": "s"}}, "filters"),
        ({"query": "q", "filters": [{"op": "eq", "value": 1}]}, "filters.0.field"),
        ({"query": "q", "filters": [{"field": "a", "op": "like", "value": 1}]}, "filters.0.op"),
        ({"query": "q", "filters": [{"field": "a", "op": "in", "value": 1}]}, "filters.0.value"),
        ({"query": "q", "rerankModel": "another"}, "rerankModel"),
        ({"query": "q", "explain": 1}, "explain"),
    ],
)
def test_what_breaks_a_rule_is_refused_by_its_field(
    http: httpx.Client, body: dict[str, Any], field: str
) -> None:
    told = refused(http.post(RETRIEVE, json=body), 400, None)
    assert told["error"] == "Validation error"
    assert told["details"]["field"] == field


def test_null_means_not_given(http: httpx.Client) -> None:
    tell(http)
    names = ("dataSources", "topK", "filters", "rerank", "rerankModel", "explain")
    assert found(http, **dict.fromkeys(names)) == found(http)


def test_reranking_can_be_left_out_or_be_done_by_words(http: httpx.Client) -> None:
    tell(http)
    ways = [found(http, **way) for way in ({}, {"rerank": False}, {"rerankModel": "lexical"})]
    assert len({str(body["scores"]) for body in ways}) == 3
    assert all(titles(body)[0] == "Hotels" for body in ways)


def test_a_reranker_that_fails_costs_a_warning(start: Callable[..., Server]) -> None:
    http = start(reranker=Failing()).http
    tell(http)
    body = found(http)
    assert codes(body) == ["RERANK_FAILED"]
    assert body["scores"] == found(http, rerank=False)["scores"]


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "status", "status": 429},
        {"kind": "status"},
        {"kind": "drop"},
        {"kind": "malformed"},
    ],
    ids=str,
)
def test_a_vendor_that_fails_to_rerank_costs_a_warning_until_it_does_not(
    start: Callable[..., Server], pinecone_server: PineconeServer, fault: dict[str, Any]
) -> None:
    inference = connect_inference(pinecone_server.api_key, pinecone_server.url)
    http = start(reranker=PineconeReranker(inference)).http
    tell(http)
    plain = found(http, rerank=False)
    pinecone_server.misbehave(path="rerank", **fault)
    bodies = [found(http), asked(http), asked(http, explain=True)]
    for body in bodies:
        assert codes(body) == ["RERANK_FAILED"]
        assert (titles(body), body["scores"]) == (titles(plain), plain["scores"])
    assert codes(asked(http, rerank=False)) == []
    pinecone_server.misbehave()
    for body in (found(http), asked(http)):
        assert codes(body) == []
        assert body["scores"] != plain["scores"]
    inference.close()


def test_ten_are_returned_where_no_number_is_asked_for(http: httpx.Client) -> None:
    for number in range(12):
        body = {"source": "s", "path": str(number), "title": f"Hotel {number}", "text": HOTELS}
        http.post("/api/rag/ingest", json={**body, "metadata": {"floor": number}})
    for body in (found(http), asked(http)):
        assert len(body["documents"]) == len(body["scores"]) == 10
        assert body["totalFound"] == 12


@pytest.mark.parametrize("path", [RETRIEVE, QUERY])
def test_who_may_query_nothing_at_all_is_told_so(
    server: Server, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """Every member may query the default source: an org without one is made here by force."""
    monkeypatch.setattr(server.footnote.sources, "all", lambda org: [])
    for more in ({}, {"dataSources": ["default"]}):
        answer = server.http.post(path, json={"query": QUESTION, **more})
        refused(answer, 403, "NO_ACCESSIBLE_SOURCES")


def test_only_sources_that_one_may_see_can_be_asked(server: Server) -> None:
    ann, bob = server.token("ann"), server.token("bob")
    made = server.http.post(
        "/api/rag/sources", json={"name": "Own", "visibility": "personal"}, headers=ann
    ).json()["id"]

    def ask(*sources: str, headers: dict[str, str]) -> httpx.Response:
        body = {"query": QUESTION, "dataSources": sources}
        return server.http.post(RETRIEVE, json=body, headers=headers)

    assert ask(made, headers=ann).json()["dataSources"] == [made]
    assert ask(headers=ann).json()["dataSources"] == sorted(["default", made])
    told = [refused(ask(id, headers=bob), 404, None) for id in (made, "src_none")]
    assert told[0]["message"].replace(made, "src_none") == told[1]["message"]


def test_who_has_no_credentials_is_turned_away(start: Callable[..., Server]) -> None:
    http = start({"AUTH": "required"}).http
    refused(http.post(RETRIEVE, json={"query": QUESTION}), 401, None)


@pytest.mark.parametrize(
    ("part", "name", "error"),
    [
        ("embedder", "embed", EmbeddingFailed("down")),
        ("index", "nearest", IndexUnavailable("down")),
    ],
)
def test_a_part_that_is_down_is_named_by_its_code(
    server: Server, monkeypatch: pytest.MonkeyPatch, part: str, name: str, error: Any
) -> None:
    def down(*_: object) -> None:
        raise error

    monkeypatch.setattr(type(getattr(server.footnote.parts, part)), name, down)
    refused(server.http.post(RETRIEVE, json={"query": QUESTION}), 503, error.code)


def test_an_explanation_is_of_the_same_run(http: httpx.Client) -> None:
    ids = tell(http)
    plain, told = found(http), found(http, explain=True)
    explained = told.pop("explain")
    assert told == plain
    assert set(explained) == {"retrieve", "fuse", "rerank", "milliseconds"}
    seen = {one["documentId"] for one in explained["retrieve"]["candidates"]}
    assert seen == {*ids.values()}
    assert [one["score"] for one in explained["rerank"]["scores"]] == plain["scores"]
    assert {"retrieve", "fuse", "read", "rerank"} <= set(explained["milliseconds"])


def test_what_one_may_not_see_is_counted_for_admins_and_unknown_to_others(server: Server) -> None:
    ann, bob = server.token("ann"), server.token("bob", roles=["admin"])
    source = server.http.post(
        "/api/rag/sources", json={"name": "Own", "visibility": "personal"}, headers=ann
    ).json()["id"]

    def explained(headers: dict[str, str]) -> Any:
        body = {"query": QUESTION, "explain": True}
        return server.http.post(RETRIEVE, json=body, headers=headers).json()["explain"]["retrieve"]

    tell(server.http, headers=ann)
    sent = {"dataSourceId": source, "documents": [{"text": "Hotel rooms cost 90 euros."}]}
    server.http.post("/api/rag/ingest", json=sent, headers=ann)
    from tests.worker import work

    work(server.footnote)
    assert explained(bob)["hiddenDocuments"] == 1
    assert "hiddenDocuments" not in explained(ann)
    assert len(explained(bob)["candidates"]) == 3
