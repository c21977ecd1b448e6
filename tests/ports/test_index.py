"""What every `Index` adapter holds to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag.adapters.pinecone.words import MEAN_LENGTH
from rag.errors import IndexMismatch
from rag.model import Condition, Entry, Hit, Where
from rag.ports import Index
from tests.ports.conftest import DIMENSION, unit


def entry(
    id: str, *seeds: int, terms: str = "", source: str = "s", tags: tuple[str, ...] = ()
) -> Entry:
    vectors = tuple(unit(seed) for seed in seeds or (hash(id) % 1000,))
    return Entry(id, vectors, tuple(terms.split()), {"source": source, "tags": tags})


def where(**fields: set[str]) -> Where:
    return tuple(Condition(name, frozenset(values)) for name, values in fields.items())


def ids(hits: list) -> list[str]:  # type: ignore[type-arg]
    return [hit.id for hit in hits]


def test_the_nearest_come_first_with_their_cosine(index: Index) -> None:
    index.upsert("o", [entry(f"e{n}", n) for n in range(50)])
    hits = index.nearest("o", unit(7), (), 3)
    expected = sorted(((float(unit(n) @ unit(7)), f"e{n}") for n in range(50)), reverse=True)[:3]
    assert ids(hits) == [id for _, id in expected]
    assert [hit.value for hit in hits] == pytest.approx([value for value, _ in expected], abs=1e-5)


def test_an_entry_counts_once_by_its_best_vector(index: Index) -> None:
    index.upsert("o", [entry("many", 1, 2, 3), entry("one", 4)])
    hits = index.nearest("o", unit(3), (), 10)
    assert ids(hits) == ["many", "one"]
    assert hits[0].value == pytest.approx(1.0, abs=1e-5)


def test_namespaces_never_meet(index: Index) -> None:
    index.upsert("o", [entry("mine", 1, terms="cat")])
    index.upsert("p", [entry("theirs", 1, terms="cat")])
    assert ids(index.nearest("o", unit(1), (), 10)) == ["mine"]
    assert ids(index.matching("o", ["cat"], (), 10).hits) == ["mine"]
    index.delete("o", ["theirs"])
    assert ids(index.nearest("p", unit(1), (), 10)) == ["theirs"]


def test_filters_hold_before_ranking(index: Index) -> None:
    index.upsert("o", [entry(f"a{n}", 1, terms="cat cat cat", tags=("x",)) for n in range(20)])
    index.upsert("o", [entry("b", 2, terms="cat", source="t", tags=("y", "z"))])
    for condition in (where(tags={"z", "w"}), where(source={"t"}), where(source={"t"}, tags={"y"})):
        assert ids(index.nearest("o", unit(1), condition, 5)) == ["b"]
        assert ids(index.matching("o", ["cat"], condition, 5).hits) == ["b"]
    for nothing in (where(tags={"x"}, source={"t"}), where(unknown={"x"}), where(tags=set())):
        assert index.nearest("o", unit(1), nothing, 5) == []
        assert index.matching("o", ["cat"], nothing, 5).hits == []


def test_words_rank_rare_terms_and_short_entries_higher(index: Index) -> None:
    index.upsert(
        "o",
        [
            entry("rare", terms="cat newt " + "filler " * 8),
            entry("common", terms="cat cat " + "filler " * 8),
            entry("long", terms="cat " + "filler " * 40),
            entry("none", terms="filler dog"),
        ],
    )
    matches = index.matching("o", ["cat", "newt", "cat"], (), 10)
    assert ids(matches.hits) == ["rare", "common", "long"]
    assert matches.weights["newt"] > matches.weights["cat"] > 0


def test_word_statistics_count_only_what_the_filter_admits(index: Index) -> None:
    visible = [entry(f"v{n}", terms=f"cat dog{n}", source="mine") for n in range(4)]
    index.upsert("o", visible)
    before = index.matching("o", ["cat", "dog1"], where(source={"mine"}), 10)
    index.upsert("o", [entry(f"h{n}", terms="cat dog1 dog1", source="hidden") for n in range(50)])
    assert index.matching("o", ["cat", "dog1"], where(source={"mine"}), 10) == before


def test_any_text_can_be_a_term(index: Index) -> None:
    wild = ["日本", "naïve", "c++", '"', "a b", "देव", "🦀", "OR", "*", "x" * 5000]
    for n, term in enumerate(wild):
        index.upsert("o", [Entry(f"e{n}", (unit(n),), (term,), {})])
    for n, term in enumerate(wild):
        assert ids(index.matching("o", [term], (), 10).hits) == [f"e{n}"]


def test_an_upsert_replaces_and_a_delete_removes(index: Index) -> None:
    index.upsert("o", [entry("a", 1, terms="cat"), entry("b", 2, terms="cat")])
    index.upsert("o", [entry("a", 3, 4, terms="dog", tags=("new",))])
    assert ids(index.matching("o", ["cat"], (), 10).hits) == ["b"]
    assert ids(index.nearest("o", unit(4), where(tags={"new"}), 10)) == ["a"]
    index.delete("o", ["a", "absent"])
    assert ids(index.nearest("o", unit(4), (), 10)) == ["b"]
    assert index.matching("o", ["dog"], (), 10).hits == []


def test_vectors_come_back_for_those_that_are_there(index: Index) -> None:
    index.upsert("o", [entry("a", 1, 2)])
    found = index.vectors("o", ["a", "absent"])
    assert list(found) == ["a"]
    np.testing.assert_allclose(np.stack(found["a"]), np.stack([unit(1), unit(2)]), atol=1e-6)


def test_an_empty_index_finds_nothing(index: Index) -> None:
    assert index.nearest("o", unit(1), (), 5) == []
    assert index.matching("o", ["cat"], (), 5).hits == []
    assert index.matching("o", [], (), 5).hits == []


def test_the_maker_is_remembered_and_clearing_keeps_it(index: Index) -> None:
    index.upsert("o", [entry("a", 1, terms="cat")])
    index.nearest("o", unit(1), (), 5)
    index.clear()
    assert index.maker() == ("model", DIMENSION)
    assert index.nearest("o", unit(1), (), 5) == []
    assert index.matching("o", ["cat"], (), 5).hits == []
    index.claim("other", DIMENSION)
    assert index.maker() == ("other", DIMENSION)


def test_an_index_of_ours_takes_another_dimension(sqlite: Index) -> None:
    sqlite.claim("other", DIMENSION + 1)
    assert sqlite.maker() == ("other", DIMENSION + 1)


def test_a_vendors_index_keeps_the_dimension_that_it_was_created_with(pinecone: Index) -> None:
    pinecone.claim("model", DIMENSION)
    with pytest.raises(IndexMismatch, match=f"has {DIMENSION} dimensions"):
        pinecone.claim("other", DIMENSION + 1)
    assert pinecone.maker() == ("model", DIMENSION)


OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("upsert"), st.integers(0, 9), st.integers(0, 99), st.sampled_from("xyz")),
        st.tuples(st.just("delete"), st.integers(0, 9)),
        st.tuples(st.just("search"), st.integers(0, 99), st.sampled_from(["x", "y", None])),
    ),
    max_size=40,
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(operations=OPERATIONS)
def test_any_sequence_agrees_with_a_scan_over_a_dictionary(index: Index, operations: list) -> None:  # type: ignore[type-arg]
    index.clear()
    model: dict[str, tuple[int, str]] = {}
    for kind, *values in operations:
        if kind == "upsert":
            number, seed, tag = values
            index.upsert("o", [entry(f"e{number}", seed, terms=f"t{seed}", tags=(tag,))])
            model[f"e{number}"] = (seed, tag)
        elif kind == "delete":
            index.delete("o", [f"e{values[0]}"])
            model.pop(f"e{values[0]}", None)
        else:
            seed, tag = values
            condition = where(tags={tag}) if tag else ()
            admitted = {id: made for id, (made, its) in model.items() if tag in (None, its)}
            near = {hit.id: hit.value for hit in index.nearest("o", unit(seed), condition, 20)}
            scan = {id: float(unit(made) @ unit(seed)) for id, made in admitted.items()}
            assert near == pytest.approx(scan, abs=1e-5)
            matching = set(ids(index.matching("o", [f"t{seed}"], condition, 20).hits))
            assert matching == {id for id, made in admitted.items() if made == seed}


NAMESPACES = st.sampled_from(["o", "p", "ü/ö"])
IDS = st.lists(st.sampled_from("abcdef"), max_size=4, unique=True)
TERMS = st.lists(st.sampled_from(["cat", "newt", "the", "日本", "absent"]), max_size=4)
CONDITIONS = st.one_of(
    st.builds(Condition, st.just("source"), st.frozensets(st.sampled_from("st"), max_size=2)),
    st.builds(Condition, st.just("tags"), st.frozensets(st.sampled_from("xyz"), max_size=2)),
    st.builds(Condition, st.just("unknown"), st.just(frozenset("x"))),
)
FILTERS = st.lists(CONDITIONS, max_size=2).map(tuple)
LIMITS = st.integers(1, 8)


@st.composite
def entries(draw: st.DrawFn) -> list[Entry]:
    """Entries as long as Pinecone takes all to be, so that both rank words by the same values."""
    made = []
    for id in draw(IDS):
        own = draw(st.lists(st.sampled_from(["cat", "newt", "the", "日本"]), max_size=6))
        padding = ["padding"] * (int(MEAN_LENGTH) - len(own))
        seeds = draw(st.lists(st.integers(0, 9), min_size=1, max_size=3))
        fields = {"source": draw(st.sampled_from("st")), "tags": tuple(draw(TAGS))}
        made.append(Entry(id, tuple(map(unit, seeds)), (*own, *padding), fields))
    return made


TAGS = st.lists(st.sampled_from("xyz"), max_size=2, unique=True)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("upsert"), NAMESPACES, entries()),
        st.tuples(st.just("upsert"), NAMESPACES, entries()),
        st.tuples(st.just("delete"), NAMESPACES, IDS),
        st.tuples(st.just("clear")),
        st.tuples(st.just("vectors"), NAMESPACES, IDS),
        st.tuples(st.just("nearest"), NAMESPACES, st.integers(0, 9).map(unit), FILTERS, LIMITS),
        st.tuples(st.just("matching"), NAMESPACES, TERMS, FILTERS, LIMITS),
    ),
    max_size=14,
)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_pinecone_does_what_sqlite_does(
    sqlite: Index, pinecone: Index, steps: list[tuple[Any, ...]]
) -> None:
    for index in (sqlite, pinecone):
        index.claim("model", DIMENSION)
        index.clear()
    for name, *arguments in steps:
        ours, theirs = (getattr(index, name)(*arguments) for index in (sqlite, pinecone))
        match name:
            case "nearest":
                assert_alike(ours, theirs)
            case "matching":
                assert_alike(ours.hits, theirs.hits)
                assert (ours.weights, ours.total) == (pytest.approx(theirs.weights), theirs.total)
            case "vectors":
                assert ours.keys() == theirs.keys()
                for id, vectors in ours.items():
                    np.testing.assert_allclose(np.stack(theirs[id]), np.stack(vectors), atol=1e-6)


def assert_alike(ours: list[Hit], theirs: list[Hit]) -> None:
    """The same values in the same order, of the same entries; which of equals come first, or
    are cut off at the end, is open."""
    values = [hit.value for hit in ours]
    assert values == pytest.approx([hit.value for hit in theirs], abs=1e-4)
    above = min(values, default=0.0) + 1e-3
    assert {hit.id for hit in ours if hit.value > above} == {
        hit.id for hit in theirs if hit.value > above
    }
    known = {hit.id: hit.value for hit in ours}
    for hit in theirs:
        assert hit.value == pytest.approx(known.get(hit.id, hit.value), abs=1e-4)
    assert len({hit.id for hit in theirs}) == len(theirs)
