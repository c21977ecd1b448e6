"""What filters mean, and what they refuse."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import Invalid
from rag.filters import MOST_BYTES, MOST_FACTS, Filter, admits, conditions, facts
from tests.documents import document


def passes(field: str, op: str, value: Any, metadata: Any = None, **head: Any) -> bool:
    return admits(conditions([Filter(field, op, value)]), document(metadata, **head))


@pytest.mark.parametrize(
    ("field", "value", "other"),
    [
        ("source", "s", "t"),
        ("title", "Newts", "newts"),
        ("document", "doc_1", "doc_2"),
        ("dataSource", "default", "src_1"),
        ("url", "https://a.example", "https://b.example"),
        ("tags", "x", "z"),
        ("tags", "y", "xy"),
    ],
)
def test_what_a_document_has_by_itself(field: str, value: str, other: str) -> None:
    head = {"url": "https://a.example", "tags": ("x", "y")}
    assert passes(field, "eq", value, **head)
    assert not passes(field, "eq", other, **head)
    assert passes(field, "in", [other, value], **head)
    assert not passes(field, "ne", value, **head)
    assert passes(field, "ne", other, **head)
    assert passes(field, "exists", True, **head)
    assert not passes(field, "exists", False, **head)


@pytest.mark.parametrize("field", ["url", "tags", "author", "metadata.title"])
def test_what_is_not_there_is_other_than_anything(field: str) -> None:
    for metadata in ({}, {"author": None, "title": []}, {"author": {}, "title": [None]}):
        assert not passes(field, "eq", "Newts", metadata)
        assert passes(field, "ne", "Newts", metadata)
        assert not passes(field, "in", ["Newts", ""], metadata)
        assert passes(field, "nin", ["Newts", ""], metadata)
        assert passes(field, "exists", False, metadata)
        assert not passes(field, "exists", True, metadata)
    assert not passes("author", "gte", 0)
    assert not passes("author", "lt", "2026-01-01")


@pytest.mark.parametrize(
    ("stored", "asked", "same"),
    [
        ("Ann", "Ann", True),
        ("Ann", "ann", False),
        ("", "", True),
        (5, 5, True),
        (5, 5.0, True),
        (5, "5", False),
        ("5", 5, False),
        (2**53, 2**53 + 1, False),
        (10**400, 10**400, True),
        (0.1, 0.1, True),
        (True, True, True),
        (True, 1, False),
        (True, "true", False),
        (1, True, False),
        (["a", 5], "a", True),
        (["a", 5], 5, True),
        (["a", 5], "5", False),
        ("2026-01-01", "2026-01-01", True),
        ("2026-01-01", "2026-01-01T01:00:00+01:00", True),
        ("2026-01-01T00:00:00Z", "2026-01-01", True),
        ("2026-01-01", "2026-01-02", False),
        ("20260101", "2026-01-01", False),
        ("2026-01-01, maybe", "2026-01-01, maybe", True),
        ("x" * 500, "x" * 500, True),
        ("x" * 500, "x" * 501, False),
        ("日本", "日本", True),
        ("\ud800", "\ud800", True),
    ],
)
def test_values_are_compared_by_their_kind(stored: Any, asked: Any, same: bool) -> None:
    for metadata, field in (
        ({"author": stored}, "author"),
        ({"author": stored}, "metadata.author"),
        ({"by": {"author": stored}}, "by.author"),
        ({"by": [{"author": stored}, {"year": 1}]}, "metadata.by.author"),
        ({"=%": stored}, "=%"),
        ({"name" * 50: stored}, "name" * 50),
    ):
        assert passes(field, "eq", asked, metadata) is same
        assert passes(field, "ne", asked, metadata) is not same
        assert passes(field, "in", ["other", asked], metadata) is same
        assert passes(field, "nin", ["other", asked], metadata) is not same


@pytest.mark.parametrize(
    ("stored", "bound", "sign"),
    [
        (2024, 2023, 1),
        (2024, 2024, 0),
        (2024, 2024.5, -1),
        ([2024], 2023, 1),
        ("2026-01-01", "2025-12-31", 1),
        ("2026-01-01", "2026-01-01T00:00:00Z", 0),
        ("2026-01-01T00:00:00+01:00", "2026-01-01", -1),
        ("2026-01-01", 2025, None),
        ("2024", 2023, None),
        (2024, "2023-01-01", None),
        ("text", 1, None),
        (True, 0, None),
        ([1, 5], 0, None),
        ([1, "x"], 0, None),
        (10**400, 0, None),
        ("2026-13-45", "2026-01-01", None),
    ],
)
def test_numbers_and_dates_have_an_order(stored: Any, bound: Any, sign: int | None) -> None:
    found = {op for op in ("gt", "gte", "lt", "lte") if passes("due", op, bound, {"due": stored})}
    expected: dict[int | None, set[str]] = {
        1: {"gt", "gte"},
        0: {"gte", "lte"},
        -1: {"lt", "lte"},
        None: set(),
    }
    assert found == expected[sign]


def test_what_something_is_inside_of_is_there_as_well() -> None:
    metadata = {"by": {"author": {"name": "Ann"}}}
    assert all(passes(way, "exists", True, metadata) for way in ("by", "by.author.name"))
    assert not passes("by.author.age", "exists", True, metadata)


def test_metadata_by_the_name_of_a_field_is_another_thing() -> None:
    assert passes("title", "eq", "Newts", {"title": "Efts"})
    assert passes("metadata.title", "eq", "Efts", {"title": "Efts"})
    assert not passes("metadata.title", "eq", "Newts", {"title": "Efts"})


def test_no_name_passes_for_a_name_with_a_value() -> None:
    assert not passes("author", "eq", "ann", {"author=s:ann": 1})
    assert not passes("author", "exists", True, {"author=s:ann": 1})
    assert not passes("a%3Db", "exists", True, {"a=b": 1})


def test_all_filters_hold_together() -> None:
    both = conditions([Filter("year", "gte", 2020), Filter("author", "ne", "Ann")])
    assert admits(both, document({"year": 2024, "author": "Bob"}))
    assert not admits(both, document({"year": 2024, "author": "Ann"}))
    assert not admits(both, document({"year": 2019, "author": "Bob"}))
    assert admits((), document())


def test_a_list_of_nothing_has_nothing() -> None:
    for field in ("source", "author"):
        assert not passes(field, "in", [], {"author": "Ann"})
        assert passes(field, "nin", [], {"author": "Ann"})


@pytest.mark.parametrize(
    ("field", "op", "value", "wrong"),
    [
        ("", "eq", "x", "field"),
        ("a", "like", "x", "op"),
        ("a", "eq", None, "value"),
        ("a", "eq", ["x"], "value"),
        ("a", "ne", {"x": 1}, "value"),
        ("a", "eq", float("nan"), "value"),
        ("a", "in", "x", "value"),
        ("a", "in", ["x"] * 101, "value"),
        ("a", "nin", ["x", None], "value"),
        ("a", "exists", "yes", "value"),
        ("a", "exists", 1, "value"),
        ("a", "gt", "soon", "value"),
        ("a", "gt", "20260101", "value"),
        ("a", "gt", "2026-13-01", "value"),
        ("a", "lte", True, "value"),
        ("a", "lte", None, "value"),
        ("a", "lt", float("inf"), "value"),
        ("a", "lt", 10**400, "value"),
        ("a", "gte", [1], "value"),
        ("title", "gt", 1, "op"),
        ("source", "eq", 5, "value"),
        ("tags", "in", ["x", True], "value"),
    ],
)
def test_what_says_nothing_is_refused(field: str, op: str, value: Any, wrong: str) -> None:
    good = Filter("a", "eq", 1)
    with pytest.raises(Invalid, match=rf"^filters\.1\.{wrong}") as refused:
        conditions([good, Filter(field, op, value)])
    assert refused.value.field == f"filters.1.{wrong}"


def test_so_many_filters_are_taken_and_no_more() -> None:
    assert len(conditions([Filter("a", "eq", 1)] * 20)) == 20
    with pytest.raises(Invalid, match="at most 20"):
        conditions([Filter("a", "eq", 1)] * 21)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates().map(str),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=30,
)


@given(metadata=st.dictionaries(st.text(), JSON), tags=st.lists(st.text(), max_size=9))
def test_any_metadata_has_facts_that_a_vendor_takes(
    metadata: dict[str, Any], tags: list[str]
) -> None:
    tokens, numbers = facts(document(metadata, tags=tuple(tags)))
    assert len(set(tokens)) == len(tokens)
    assert all(token.isascii() and token.isprintable() and len(token) <= 48 for token in tokens)
    assert json.loads(json.dumps(numbers, allow_nan=False)) == numbers


def test_the_facts_of_the_largest_metadata_stay_within_bounds() -> None:
    many = {f"{number:040d}": f"2026-01-01T00:00:00.{number:06d}" for number in range(2000)}
    for letter in "xé":
        tags = tuple(letter * 250 + str(n) for n in range(20))
        tokens, numbers = facts(document(many, tags=tags))
        assert numbers
        assert len(json.dumps([*tokens, numbers])) <= MOST_BYTES
    tags = tuple("x" * 250 + str(n) for n in range(100))
    tokens, numbers = facts(document(many, tags=tags))
    assert len(json.dumps([*tokens, *tags, numbers])) <= 40_000
    assert len(numbers) > 30
    small = {str(number): number for number in range(2000)}
    assert len(facts(document(small))[1]) == MOST_FACTS
    assert passes("199", "eq", 199, small)
    assert not passes("200", "eq", 200, small)


def test_metadata_may_be_as_deep_as_it_can_be_read() -> None:
    deep: Any = "x"
    for _ in range(500):
        deep = {"a": deep}
    assert passes(".".join("a" * 500), "eq", "x", deep) is False  # too far down to be counted
    assert passes("b", "eq", 1, {"b": 1, "a": deep})
