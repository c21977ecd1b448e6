"""v3 §2.2: POST /api/rag/search."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

CORPUS = [
    ("kb", "Cats", "Cats sleep for most of the day and hunt mice at night.", ["animals", "pets"]),
    ("kb", "Dogs", "Dogs bark at strangers and like long walks in the park.", ["animals"]),
    ("wiki", "Rust", "Rust is a programming language with a borrow checker.", ["software"]),
    ("wiki", "Pasta", "Boil the pasta in salted water for nine minutes.", []),
]


@pytest.fixture
def corpus(http: httpx.Client) -> httpx.Client:
    for source, title, text, tags in CORPUS:
        body = {"source": source, "path": f"/{title}", "title": title, "text": text, "tags": tags}
        assert http.post("/api/rag/ingest", json=body).status_code == 200
    return http


def search(http: httpx.Client, **body: Any) -> dict[str, Any]:
    answer = http.post("/api/rag/search", json=body)
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


def titles(found: dict[str, Any]) -> list[str]:
    return [result["metadata"]["title"] for result in found["results"]]


def test_the_answer_has_the_shape_of_the_contract(corpus: httpx.Client) -> None:
    found = search(corpus, query="What do cats hunt?")
    assert found["query"] == "What do cats hunt?"
    assert found["resultCount"] == len(found["results"])
    best = found["results"][0]
    assert set(best) == {"text", "score", "metadata"}
    assert best["text"] == CORPUS[0][2]
    assert best["metadata"] == {
        "documentId": best["metadata"]["documentId"],
        "source": "kb",
        "path": "/Cats",
        "title": "Cats",
        "chunkIndex": 0,
        "tags": ["animals", "pets"],
    }


def test_scores_fall_and_lie_between_0_and_1(corpus: httpx.Client) -> None:
    scores = [result["score"] for result in search(corpus, query="a borrow checker")["results"]]
    assert len(scores) == 4
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_a_direct_hit_scores_high_and_an_unrelated_question_low(corpus: httpx.Client) -> None:
    direct = search(corpus, query="How long must pasta boil?")["results"][0]
    assert (direct["metadata"]["title"], direct["score"] >= 0.8) == ("Pasta", True)
    unrelated = search(corpus, query="Who won the chess championship in 1972?")["results"][0]
    assert unrelated["score"] < 0.6


def test_five_results_unless_told_otherwise(corpus: httpx.Client) -> None:
    for number in range(8):
        body = {
            "source": "kb",
            "path": str(number),
            "title": "Cats",
            "text": f"Cat number {number}.",
        }
        corpus.post("/api/rag/ingest", json=body)
    assert search(corpus, query="cats")["resultCount"] == 5
    assert search(corpus, query="cats", topK=None)["resultCount"] == 5
    assert search(corpus, query="cats", topK=20)["resultCount"] == 12
    assert search(corpus, query="cats", topK=1)["resultCount"] == 1


def test_the_least_score_cuts_the_results(corpus: httpx.Client) -> None:
    everything = search(corpus, query="cats hunt mice")["results"]
    best = everything[0]["score"]
    assert search(corpus, query="cats hunt mice", minScore=best)["resultCount"] == 1
    assert search(corpus, query="cats hunt mice", minScore=1)["resultCount"] == (best == 1)
    assert search(corpus, query="cats hunt mice", minScore=0)["resultCount"] == 4


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"source": "wiki"}, {"Rust", "Pasta"}),
        ({"tags": ["pets"]}, {"Cats"}),
        ({"tags": ["pets", "software"]}, {"Cats", "Rust"}),
        ({"source": "kb", "tags": ["software", "animals"]}, {"Cats", "Dogs"}),
        ({"source": "wiki", "tags": ["animals"]}, set()),
        ({"source": "nowhere"}, set()),
        ({"source": None, "tags": None}, {"Cats", "Dogs", "Rust", "Pasta"}),
        ({"tags": []}, {"Cats", "Dogs", "Rust", "Pasta"}),
        ({}, {"Cats", "Dogs", "Rust", "Pasta"}),
        (None, {"Cats", "Dogs", "Rust", "Pasta"}),
    ],
)
def test_filters_narrow_by_source_and_by_any_of_the_tags(
    corpus: httpx.Client, filters: dict[str, Any], expected: set[str]
) -> None:
    assert set(titles(search(corpus, query="what do cats do", filters=filters))) == expected


def test_an_empty_corpus_has_no_results(http: httpx.Client) -> None:
    assert search(http, query="anything") == {"query": "anything", "resultCount": 0, "results": []}


@pytest.mark.parametrize(
    "query", ["?!", "the", "日本語", "🦀", "x" * 100_000, "\0", "a" * 9000 + " cats"]
)
def test_any_query_is_answered(corpus: httpx.Client, query: str) -> None:
    assert search(corpus, query=query)["query"] == query


@pytest.mark.parametrize(
    ("body", "field", "message"),
    [
        ({}, "query", "query is required"),
        ({"query": None}, "query", "query is required"),
        ({"query": ""}, "query", "query must not be empty"),
        ({"query": " \n"}, "query", "query must not be empty"),
        ({"query": 5}, "query", "query must be a string"),
        ({"query": "q", "topK": 0}, "topK", "topK must be between 1 and 20"),
        ({"query": "q", "topK": 21}, "topK", "topK must be between 1 and 20"),
        ({"query": "q", "topK": -1}, "topK", "topK must be between 1 and 20"),
        ({"query": "q", "topK": 2.5}, "topK", "topK must be a whole number"),
        ({"query": "q", "topK": "5"}, "topK", "topK must be a number"),
        ({"query": "q", "topK": True}, "topK", "topK must be a number"),
        ({"query": "q", "minScore": 1.1}, "minScore", "minScore must be between 0 and 1"),
        ({"query": "q", "minScore": -0.1}, "minScore", "minScore must be between 0 and 1"),
        ({"query": "q", "minScore": "0.5"}, "minScore", "minScore must be a number"),
        ({"query": "q", "filters": []}, "filters", "filters must be an object"),
        (
            {"query": "q", "filters": {"source": 1}},
            "filters.source",
            "filters.source must be a string",
        ),
        ({"query": "q", "filters": {"tags": "a"}}, "filters.tags", "filters.tags must be an array"),
        (
            {"query": "q", "filters": {"tags": [1]}},
            "filters.tags.0",
            "filters.tags.0 must be a string",
        ),
    ],
)
def test_a_broken_rule_names_its_field(
    http: httpx.Client, body: dict[str, Any], field: str, message: str
) -> None:
    answer = http.post("/api/rag/search", json=body)
    assert answer.status_code == 400
    assert answer.json() == {
        "error": "Validation error",
        "message": message,
        "details": {"field": field, "message": message},
    }


def test_a_whole_number_may_be_written_as_a_float(corpus: httpx.Client) -> None:
    assert search(corpus, query="cats", topK=2.0)["resultCount"] == 2


def test_a_changed_document_is_found_by_its_new_words_only(corpus: httpx.Client) -> None:
    search(corpus, query="quantum entanglement")
    body = {
        "source": "kb",
        "path": "/Cats",
        "title": "Cats",
        "text": "Quantum entanglement of cats.",
    }
    corpus.post("/api/rag/ingest", json=body)
    found = search(corpus, query="quantum entanglement")
    assert found["results"][0]["text"] == body["text"]
    everything = search(corpus, query="hunt mice at night", topK=20)["results"]
    assert all("mice" not in result["text"] for result in everything)


def test_the_contracts_own_lines_work_as_they_are_written(http: httpx.Client) -> None:
    """v3 §7."""
    document = '{"source":"test","path":"/doc","title":"Test","text":"Content"}'
    ingested = post(http, "/api/rag/ingest", document)
    assert (ingested["status"], ingested["chunkCount"]) == ("created", 1)
    found = post(http, "/api/rag/search", '{"query":"test query","topK":5}')
    assert (found["query"], found["resultCount"]) == ("test query", 1)
    message = '{"model":"llama2","messages":[{"role":"user","content":"Hi"}],"useRag":true}'
    chat = post(http, "/api/chat", message)
    assert (chat["status"], chat["ragUsed"], len(chat["ragSources"])) == ("success", True, 1)


def post(http: httpx.Client, path: str, body: str) -> dict[str, Any]:
    answer = http.post(path, content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 200
    read: dict[str, Any] = answer.json()
    return read
