"""Who may see what."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rag.access import (
    may_change,
    may_know,
    may_manage,
    may_publish,
    may_query,
    may_watch,
    may_write,
    narrowed,
    queryable,
    visitor_of,
    within,
)
from rag.errors import NoAccessibleSources, NotFound
from rag.model import DEFAULT_SOURCE, Access, Condition, Principal, Site, Source, Visibility
from rag.stores.sources import DEFAULT

OWNER = Principal("ann", "acme")
ADMIN = Principal("root", "acme", roles=frozenset({"admin"}))
STRANGER = Principal("zoe", "acme", roles=frozenset({"sales"}), teams=frozenset({"red"}))

ACCESS = {
    "public": Access("public"),
    "role": Access("role", roles=frozenset({"law", "hr"})),
    "team": Access("team", teams=frozenset({"blue"})),
    "private": Access("private", users=frozenset({"bob"})),
    "personal": Access("personal"),
}
# One that has exactly what a visibility asks for, and one that has it where it does not count.
INSIDER = {
    "role": Principal("eve", "acme", roles=frozenset({"hr"})),
    "team": Principal("eve", "acme", teams=frozenset({"blue"})),
    "private": Principal("bob", "acme"),
}
IMPOSTOR = {
    "role": Principal("hr", "acme", teams=frozenset({"hr"})),
    "team": Principal("blue", "acme", roles=frozenset({"blue"})),
    "private": Principal("eve", "acme", roles=frozenset({"bob"}), teams=frozenset({"bob"})),
}


def source(visibility: Visibility) -> Source:
    return Source("src_1", "Files", ACCESS[visibility], "ann", "2026-11-18T00:00:00.000Z")


@pytest.mark.parametrize("visibility", list(ACCESS))
def test_the_owner_may_do_everything(visibility: Visibility) -> None:
    one = source(visibility)
    assert all(may(OWNER, one) for may in (may_query, may_write, may_change, may_know))


@pytest.mark.parametrize("visibility", list(ACCESS))
def test_beyond_the_owner_visibility_alone_decides_who_queries(visibility: Visibility) -> None:
    one = source(visibility)
    assert may_query(STRANGER, one) == (visibility == "public")
    assert may_query(ADMIN, one) == (visibility == "public")
    if visibility in INSIDER:
        assert may_query(INSIDER[visibility], one)
        assert not may_query(IMPOSTOR[visibility], one)


@pytest.mark.parametrize("visibility", list(ACCESS))
def test_admins_may_write_and_change_and_others_may_not(visibility: Visibility) -> None:
    one = source(visibility)
    assert may_write(ADMIN, one)
    assert may_change(ADMIN, one)
    assert may_know(ADMIN, one)
    for other in (STRANGER, INSIDER.get(visibility, STRANGER)):
        assert not may_write(other, one)
        assert not may_change(other, one)
        assert may_know(other, one) == may_query(other, one)


def test_lists_that_belong_to_another_visibility_do_not_count() -> None:
    both = Access("role", frozenset({"hr"}), frozenset({"red"}), frozenset({"zoe"}))
    assert not may_query(STRANGER, replace(source("role"), access=both))


def test_everybody_may_query_and_write_the_default_source_and_nobody_may_change_it() -> None:
    for caller in (OWNER, ADMIN, STRANGER):
        assert may_query(caller, DEFAULT)
        assert may_write(caller, DEFAULT)
        assert not may_change(caller, DEFAULT)


def test_a_job_is_watched_by_its_sender_and_by_those_who_may_query_its_source() -> None:
    seen = frozenset({"src_1"})
    assert may_watch(STRANGER, "ann", "src_1", seen)
    assert may_watch(OWNER, "ann", "src_2", seen)
    assert not may_watch(ADMIN, "ann", "src_2", seen)
    assert not may_watch(STRANGER, None, "src_2", seen)


def test_a_job_of_no_source_is_watched_by_admins_alone() -> None:
    assert may_watch(ADMIN, None, None, frozenset())
    assert not may_watch(STRANGER, None, None, frozenset({"src_1"}))


def test_a_filter_only_ever_narrows_what_the_caller_may_see() -> None:
    sources = queryable(STRANGER, [DEFAULT, source("public"), replace(source("team"), id="src_2")])
    assert sources == {DEFAULT_SOURCE, "src_1"}
    wanted = (Condition("data_source", frozenset({"secret"})), Condition("tags", frozenset({"t"})))
    narrowed = within(sources, wanted)
    assert Condition("data_source", sources) in narrowed
    assert set(wanted) <= set(narrowed)


def test_asking_for_no_data_source_is_asking_for_all_that_one_sees() -> None:
    seen = frozenset({"a", "b"})
    assert narrowed(seen, None) == narrowed(seen, frozenset()) == seen
    assert narrowed(seen, frozenset({"b"})) == {"b"}


def test_a_hidden_data_source_is_answered_as_one_that_is_not_there() -> None:
    messages = set()
    for name in ("hidden", "absent"):
        with pytest.raises(NotFound) as refused:
            narrowed(frozenset({"a"}), frozenset({"a", name}))
        messages.add(refused.value.message.replace(name, "…"))
    assert messages == {"There is no data source …."}


def test_who_sees_no_data_source_at_all_is_told_so() -> None:
    for wanted in (None, frozenset({"a"})):
        with pytest.raises(NoAccessibleSources) as refused:
            narrowed(frozenset(), wanted)
        assert refused.value.code == "NO_ACCESSIBLE_SOURCES"


# Visitors of sites

SITE = Site("site_1", "acme", "Docs", (), ("src_1", "default"), {}, "ann", None)


@pytest.mark.parametrize("visibility", list(ACCESS))
def test_a_visitor_sees_what_the_site_lists_as_long_as_it_is_public(visibility: Visibility) -> None:
    visitor = visitor_of(SITE)
    assert may_query(visitor, source(visibility)) == (visibility == "public")
    assert may_query(visitor, DEFAULT)
    assert not may_query(visitor, replace(source(visibility), id="src_2"))
    assert not may_query(visitor_of(replace(SITE, data_sources=("src_1",))), DEFAULT)
    assert not may_query(visitor_of(replace(SITE, data_sources=())), source(visibility))


@pytest.mark.parametrize("visibility", list(ACCESS))
def test_a_visitor_may_do_nothing_but_ask_even_as_the_owners_namesake(
    visibility: Visibility,
) -> None:
    visitor = visitor_of(SITE)
    for one in (replace(source(visibility), owner=visitor.sub), DEFAULT):
        assert not any(may(visitor, one) for may in (may_write, may_change, may_know, may_publish))
    assert not may_query(visitor, replace(source("personal"), owner=visitor.sub))


@pytest.mark.parametrize("visibility", list(ACCESS))
def test_whoever_may_change_a_source_may_publish_it(visibility: Visibility) -> None:
    one = source(visibility)
    assert may_publish(OWNER, one)
    assert may_publish(ADMIN, one)
    assert not may_publish(STRANGER, one)


def test_only_admins_may_publish_the_default_source() -> None:
    assert may_publish(ADMIN, DEFAULT)
    assert not may_publish(OWNER, DEFAULT)


def test_a_site_is_its_owners_matter_and_that_of_the_orgs_admins() -> None:
    assert may_manage(OWNER, SITE)
    assert may_manage(ADMIN, SITE)
    assert not may_manage(STRANGER, SITE)
    assert not may_manage(replace(OWNER, org="zeta"), SITE)
    assert not may_manage(replace(ADMIN, org="zeta"), SITE)
    assert not may_manage(STRANGER, replace(SITE, owner=None))
