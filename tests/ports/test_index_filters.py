"""Filters on every `Index`: each admits what `filters.admits` does, before it ranks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infra.local.pinecone_server import PineconeServer
from rag.filters import Filter, admits, conditions, fields
from rag.model import Document, Entry, Where
from rag.ports import Index
from tests.documents import document
from tests.ports.conftest import DIMENSION, unit

ABSENT = object()
LONG = "long " * 40
VALUES: list[Any] = [
    ABSENT, None, "Ann", "", "日本", LONG, "5", 5, 5.0, 5.5, -3, 10**400, True, "true", False,
    "2026-01-01", "2026-01-01T00:00:00Z", "2026-06-01", "2026-01-01, maybe",
    [], ["Ann", "Bob"], [5], [5, 7], ["2026-01-01", 5], {"inner": "Ann"}, [{"inner": 5}],
]  # fmt: skip
SCALARS = [value for value in VALUES if isinstance(value, str | int | float)]
ORDERED: list[Any] = [5, 5.0, 5.5, -3, "2026-01-01", "2026-01-01T01:00:00+01:00", "2026-06-01"]
OWN = ("source", "document", "dataSource", "title", "url", "tags")
EVERY = (
    *(Filter("x", op, value) for op, value in product(("eq", "ne"), SCALARS)),
    *(Filter("x", op, [value, "Bob"]) for op, value in product(("in", "nin"), SCALARS)),
    *(Filter("x", op, []) for op in ("in", "nin")),
    *(Filter("x", op, value) for op, value in product(("gt", "gte", "lt", "lte"), ORDERED)),
    *(Filter(name, op, "Ann") for name, op in product(OWN, ("eq", "ne"))),
    *(Filter(name, op, ["Ann", LONG]) for name, op in product(OWN, ("in", "nin"))),
    *(Filter(name, "exists", there) for name in ("x", "x.inner", *OWN) for there in (True, False)),
)
# What documents have by themselves, or lack.
HEADED: list[dict[str, Any]] = [
    {"id": "Ann"}, {"source": "Ann"}, {"data_source": "Ann"}, {"title": "Ann"}, {"title": LONG},
    {"url": "Ann"}, {"url": LONG}, {"tags": ("Ann", "Bob")}, {"tags": ("Bob",)}, {"tags": (LONG,)},
]  # fmt: skip


@pytest.fixture(params=["sqlite", "pinecone", "pinecone that fails what is absent"])
def index(request: pytest.FixtureRequest) -> Index:
    """The vendor has been seen to leave out records that lack a field which must not be so."""
    name, _, absent = request.param.partition(" ")
    index: Index = request.getfixturevalue(name)
    index.claim("model", DIMENSION)
    if absent:
        server: PineconeServer = request.getfixturevalue("pinecone_server")
        server.misbehave(absent_fails=True)
    return index


def entries(documents: Sequence[Document]) -> list[Entry]:
    """One of each document; some have more passages, and longer texts."""
    return [
        Entry(
            one.id,
            tuple(unit(place + n) for n in range(1 + place % 3)),
            ("newt",) * (place % 3) + ("filler",) * (1 + place),
            fields(one),
        )
        for place, one in enumerate(documents)
    ]


def found(index: Index, where: Where) -> set[str]:
    return {hit.id for hit in index.nearest("o", unit(0), where, 100)}


def test_every_filter_admits_the_same_everywhere(index: Index) -> None:
    documents = [
        document({} if value is ABSENT else {"x": value}, id=f"d{place}")
        for place, value in enumerate(VALUES)
    ]
    documents += [document(**{"id": f"h{place}", **head}) for place, head in enumerate(HEADED)]
    index.upsert("o", entries(documents))
    for one in EVERY:
        where = conditions([one])
        assert found(index, where) == {doc.id for doc in documents if admits(where, doc)}, one


TEXTS = st.sampled_from(["Ann", "Bob", "", "5", "true", "2026-01-01", "2026-01-01T00:00Z", LONG])
PLAIN = TEXTS | st.sampled_from([5, 5.0, 5.5, True, False])
INSIDE = st.none() | PLAIN | st.lists(PLAIN, max_size=3)
KEYS = st.sampled_from(["a", "b", "a.b", "a=s:Ann", "title", LONG])
METADATA = st.dictionaries(KEYS, INSIDE | st.dictionaries(KEYS, INSIDE, max_size=2), max_size=4)
TAGS = st.lists(st.sampled_from("xyz"), max_size=2, unique=True).map(tuple)
HEADS = st.fixed_dictionaries(
    {
        "source": st.sampled_from("st"),
        "data_source": st.sampled_from(["default", "src_1"]),
        "title": st.sampled_from(["Ann", LONG]),
        "url": st.sampled_from([None, "Ann", LONG]),
        "tags": TAGS,
    }
)
OWN_NAMES = st.sampled_from(OWN)
OF_OWN = st.sampled_from(["s", "x", "y", "d0", "default", "Ann", LONG])
NAMES = KEYS.map("metadata.{}".format) | st.sampled_from(["a", "b", "a.b", "a.a", "b.a"])
EQUAL, AMONG = st.sampled_from(["eq", "ne"]), st.sampled_from(["in", "nin"])
FILTERS = st.one_of(
    st.builds(Filter, NAMES, EQUAL, PLAIN),
    st.builds(Filter, OWN_NAMES, EQUAL, OF_OWN),
    st.builds(Filter, NAMES, AMONG, st.lists(PLAIN, max_size=3)),
    st.builds(Filter, OWN_NAMES, AMONG, st.lists(OF_OWN, max_size=3)),
    st.builds(Filter, NAMES, st.sampled_from(["gt", "gte", "lt", "lte"]), st.sampled_from(ORDERED)),
    st.builds(Filter, NAMES | OWN_NAMES, st.just("exists"), st.booleans()),
)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    heads=st.lists(st.tuples(METADATA, HEADS), max_size=6),
    questions=st.lists(st.lists(FILTERS, max_size=3), min_size=1, max_size=4),
)
def test_under_a_filter_an_index_is_as_if_it_held_nothing_else(
    index: Index, heads: list[tuple[Any, Any]], questions: list[list[Filter]]
) -> None:
    index.clear()
    documents = [document(told, id=f"d{n}", **head) for n, (told, head) in enumerate(heads)]
    index.upsert("o", entries(documents))
    for place, filters in enumerate(questions):
        where = conditions(filters)
        admitted = {one.id for one in documents if admits(where, one)}
        assert found(index, where) == admitted
        alone = f"only {place}"
        index.upsert(alone, [one for one in entries(documents) if one.id in admitted])
        ours, theirs = (
            index.matching(namespace, ["newt", "filler", "eft"], filter, 100)
            for namespace, filter in (("o", where), (alone, ()))
        )
        assert (ours.weights, ours.total) == (theirs.weights, len(admitted))
        assert dict(ours.hits) == pytest.approx(dict(theirs.hits), rel=1e-5)


def test_numbers_and_facts_follow_when_an_index_is_squeezed(sqlite: Index) -> None:
    sqlite.claim("model", DIMENSION)
    documents = [document({"n": place}, id=f"d{place}") for place in range(600)]
    sqlite.upsert("o", entries(documents))
    wanted = conditions([Filter("n", "gte", 500), Filter("n", "ne", 599)])
    assert found(sqlite, wanted) == {f"d{place}" for place in range(500, 599)}
    sqlite.delete("o", [f"d{place}" for place in range(505)])
    assert found(sqlite, wanted) == {f"d{place}" for place in range(505, 599)}
    sqlite.upsert("o", entries([document({"n": 500}, id="new")]))
    assert "new" in found(sqlite, wanted)
