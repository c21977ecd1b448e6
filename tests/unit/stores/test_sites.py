"""Sites, on every adapter of Items."""

from __future__ import annotations

import pytest

from rag.errors import Conflict
from rag.model import Site
from rag.ports import Items
from rag.stores import layout
from rag.stores.sites import DEMO, MOST_SITES, Sites
from tests.conftest import Clock

ORIGINS = ("https://docs.example", "http://localhost:8080")
LOOK = {"accent": "#205080", "depth": [1, 2.5, None, {"large": 2**70, "": "ü"}]}


@pytest.fixture
def sites(items: Items, clock: Clock) -> Sites:
    return Sites(items, clock)


def made(sites: Sites, org: str = "acme") -> Site:
    return sites.create(org, "ann", "Docs", ORIGINS, ("src_1", "default"), LOOK)


def test_a_site_comes_back_as_it_was_made(sites: Sites) -> None:
    site = made(sites)
    when = "2027-01-15T08:00:00.000Z"
    assert site == Site(site.id, "acme", "Docs", ORIGINS, ("src_1", "default"), LOOK, "ann", when)
    assert sites.get(site.id) == site
    assert sites.all("acme") == [site]


def test_sites_are_listed_by_age_and_only_to_their_org(sites: Sites, clock: Clock) -> None:
    first = made(sites)
    clock.now += 1
    other = made(sites, "zeta")
    clock.now += 1
    second = made(sites)
    assert sites.all("acme") == [first, second]
    assert sites.all("zeta") == [other]
    assert sites.all("acm") == []


def test_a_deleted_site_is_gone_for_everybody(sites: Sites) -> None:
    gone, left = made(sites), made(sites)
    assert sites.delete("acme", gone.id)
    assert sites.get(gone.id) is None
    assert sites.all("acme") == [left]
    assert not sites.delete("acme", gone.id)


def test_no_org_deletes_anothers_site(sites: Sites) -> None:
    site = made(sites)
    assert not sites.delete("zeta", site.id)
    assert sites.get(site.id) == site
    assert sites.all("acme") == [site]


def test_the_demo_is_built_in_and_nobody_can_delete_it(sites: Sites) -> None:
    assert sites.get("demo") == DEMO
    assert sites.all("local") == []
    assert not sites.delete("local", "demo")


@pytest.mark.parametrize("id", ["", "none", "site_", "site_" + "0" * 26, "x" * 5000, "site_\x00"])
def test_there_is_no_site_of_a_name_that_was_never_given(sites: Sites, id: str) -> None:
    assert sites.get(id) is None


def test_an_org_may_have_so_many_sites(
    sites: Sites, items: Items, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MOST_SITES == 100
    monkeypatch.setattr("rag.stores.sites.MOST_SITES", 2)
    first = made(sites)
    made(sites)
    with pytest.raises(Conflict, match="An org may have 2 sites"):
        made(sites)
    made(sites, "zeta")
    sites.delete("acme", first.id)
    made(sites)
    assert len(items.query(layout.org("acme"), layout.SITES)) == 2
