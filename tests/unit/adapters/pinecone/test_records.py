"""Entries as records: what a request may carry, and what a record may hold."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rag.adapters.pinecone import words
from rag.adapters.pinecone.records import (
    MOST_BYTES,
    MOST_RECORDS,
    PASSAGES,
    cut,
    entry_of,
    namespace_of,
    of_entry,
    size,
)
from rag.model import Entry


@given(st.lists(st.integers(1, 50), max_size=60), st.integers(1, 9), st.integers(1, 99))
def test_parts_hold_to_both_limits_and_lose_nothing(
    sizes: list[int], most: int, most_bytes: int
) -> None:
    parts = list(cut(sizes, lambda one: one, most, most_bytes))
    assert [one for part in parts for one in part] == sizes
    for part in parts:
        assert 1 <= len(part) <= most
        assert sum(part) <= most_bytes or len(part) == 1


def test_a_request_of_large_vectors_stays_below_two_megabytes() -> None:
    vector = np.random.default_rng(1).normal(size=1536).astype(np.float32)
    entries = [Entry(f"d.v.{n}", (vector,), ("naïve",) * 9, {"source": "日本"}) for n in range(300)]
    records = [record for entry in entries for record in of_entry(entry)]
    parts = list(cut(records, size, MOST_RECORDS, MOST_BYTES))
    assert len(parts) > 1
    for part in parts:
        body = {"vectors": part, "namespace": "n" * 512}
        assert len(json.dumps(body, ensure_ascii=False).encode()) < 2 * 1024 * 1024


def test_the_first_record_has_the_words_and_the_number_of_passages() -> None:
    vectors = (np.ones(2, np.float32), np.zeros(2, np.float32))
    first, second = of_entry(Entry("a#b", vectors, ("cat",), {"tags": (), "source": "s"}))
    assert first["metadata"] == {"source": "s", PASSAGES: 2}
    assert second["metadata"] == {"source": "s"}
    assert first["sparse_values"]["indices"] == [words.number("cat")]
    assert "sparse_values" not in second
    assert entry_of(second["id"]) == "a#b"


def test_an_entry_of_very_many_words_keeps_those_that_tell_most() -> None:
    terms = ("one", *(f"rare{n}" for n in range(1500)))
    sparse = words.of_entry(terms)
    assert sparse
    assert len(set(sparse["indices"])) == len(sparse["values"]) == words.MOST_WORDS
    assert words.number("one") not in sparse["indices"]


def test_a_words_number_never_changes() -> None:
    assert words.number("cat") == 1787499195


@given(st.text(), st.text())
def test_namespaces_are_ascii_and_never_meet(one: str, other: str) -> None:
    names = [namespace_of(text.encode("utf-8", "replace").decode()) for text in (one, other)]
    assert all(name.isascii() and (not name or name.isprintable()) for name in names)
    if one.encode("utf-8", "replace") != other.encode("utf-8", "replace"):
        assert names[0] != names[1]
    assert "%footnote" not in names
