"""v3 §1 and §4: the interfaces that Python code calls."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rag.adapters.embedded.minilm import MiniLM
from rag.errors import Invalid
from rag.footnote import Footnote
from rag.model import Principal
from rag.runtime.bootstrap import bootstrap
from rag.runtime.settings import Settings
from rag.wire.v3.library import DocumentMetadata, EmbeddingsService, RagStore

CATS: DocumentMetadata = {"source": "kb", "path": "/cats", "title": "Cats", "tags": ["animals"]}


@pytest.fixture
def footnote(tmp_path: Path, minilm: MiniLM) -> Footnote:
    return bootstrap(Settings(data_dir=tmp_path), embedder=minilm)


@pytest.fixture
def store(footnote: Footnote) -> RagStore:
    return RagStore(footnote)


def test_upsert_tells_created_unchanged_and_updated(store: RagStore) -> None:
    first = store.upsert_document_with_chunks(CATS, "Cats hunt mice.")
    assert set(first) == {"documentId", "chunkCount", "status"}
    assert (first["status"], first["chunkCount"]) == ("created", 1)
    again = store.upsert_document_with_chunks(CATS, "Cats hunt mice.")
    assert again == {**first, "status": "unchanged"}
    assert store.upsert_document_with_chunks(CATS, "Cats sleep.")["status"] == "updated"


def test_a_hash_that_matches_is_unchanged(store: RagStore) -> None:
    store.upsert_document_with_chunks({**CATS, "hash": "h"}, "Cats hunt mice.")
    assert store.upsert_document_with_chunks({**CATS, "hash": "h"}, "New")["status"] == "unchanged"


def test_the_timestamp_is_the_time_of_ingestion(store: RagStore, footnote: Footnote) -> None:
    moment = datetime(2020, 5, 17, 12, tzinfo=UTC)
    made = store.upsert_document_with_chunks({**CATS, "timestamp": moment}, "Cats hunt mice.")
    document = footnote.documents.get("local", made["documentId"])
    assert document is not None
    assert document.created_at == document.updated_at == "2020-05-17T12:00:00.000Z"


def test_search_finds_chunks_with_score_and_metadata(store: RagStore) -> None:
    made = store.upsert_document_with_chunks(CATS, "Cats hunt mice.")
    store.upsert_document_with_chunks(
        {**CATS, "path": "/d", "title": "Dogs", "tags": []}, "Dogs bark."
    )
    best, *others = store.search_similar_chunks("What do cats hunt?", {"topK": 2})
    assert best["text"] == "Cats hunt mice."
    assert 0 <= others[0]["score"] < best["score"] <= 1
    assert best["metadata"] == {
        "documentId": made["documentId"], "source": "kb", "path": "/cats", "title": "Cats",
        "chunkIndex": 0, "tags": ["animals"],
    }  # fmt: skip
    narrowed = store.search_similar_chunks("dogs", {"filters": {"tags": ["animals"]}})
    assert [chunk["text"] for chunk in narrowed] == ["Cats hunt mice."]
    assert store.search_similar_chunks("dogs", {"filters": {"source": "other"}}) == []
    assert store.search_similar_chunks("stock market crash", {"minScore": 0.9}) == []


@pytest.mark.parametrize(
    ("options", "field"), [({"topK": 21}, "topK"), ({"minScore": 2}, "minScore")]
)
def test_the_rules_are_those_of_the_endpoint(store: RagStore, options: Any, field: str) -> None:
    with pytest.raises(Invalid) as refused:
        store.search_similar_chunks("cats", options)
    assert refused.value.field == field
    with pytest.raises(Invalid, match="text must not be empty"):
        store.upsert_document_with_chunks(CATS, "")


def test_a_chunk_says_in_which_section_it_is(store: RagStore) -> None:
    store.upsert_document_with_chunks(CATS, "# Cats\n\nThey sleep.\n\n## Prey\n\nCats hunt mice.")
    [found] = store.search_similar_chunks("Do they hunt mice?")
    assert found["metadata"]["section"] == "Cats › Prey"
    assert "page" not in found["metadata"]


def test_a_store_is_inside_its_callers_org(store: RagStore, footnote: Footnote) -> None:
    store.upsert_document_with_chunks(CATS, "Cats hunt mice.")
    assert RagStore(footnote, Principal("ann", "acme")).search_similar_chunks("cats") == []


def test_embeddings_are_one_unit_vector_per_text(minilm: MiniLM) -> None:
    service = EmbeddingsService(minilm)
    texts = ["Cats hunt mice.", "", "A very long text about newts. " * 200, "日本語"]
    vectors = service.embed_text_batch(texts)
    assert service.get_dimension() == 384
    assert [len(vector) for vector in vectors] == [384] * 4
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert service.embed_text_batch([]) == []
    assert isinstance(vectors[0][0], float)
