"""The page that a visitor reads, and its own document."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.model import Embedding, Excerpt, Found, Question
from rag.query.page import LONGEST_TOLD, near, told
from tests.passages import excerpt

QUESTION = Question("q", (), {}, Embedding(np.zeros(1, np.float32)), 0)


def of(path: str, score: float, url: str | None = None) -> Excerpt:
    one = excerpt("Newts sleep.", id=path or "-", score=score)
    return replace(one, document=replace(one.document, path=path, url=url))


def order(page: str | None, *excerpts: Excerpt, most: int = 5) -> list[str]:
    found = near(Found(QUESTION, excerpts), page, most)
    return [one.document.path for one in found.excerpts]


@pytest.mark.parametrize(
    ("page", "path", "url"),
    [
        ("/docs/newts", "docs/newts.md", None),
        ("https://a.example/docs/newts/", "/docs/newts.mdx", None),
        ("https://a.example/docs/newts?x=/y#z", "x", "/docs/newts.html"),
        ("/docs/newts.html", "x", "https://b.example/docs/newts#food"),
        ("//a.example/docs/newts/index.html", "docs/newts/index.md", None),
        ("/docs/newts/", "docs/newts/index", None),
        ("https://a.example", "index.md", None),
        ("https://a.example/docs/great%20newts", "docs/great newts.md", None),
        ("/docs/index/newts", "docs/index/newts.htm", None),
    ],
)
def test_a_page_and_its_document_are_known_by_their_path(
    page: str, path: str, url: str | None
) -> None:
    assert order(page, of("other", 0.9), of(path, 0.87, url)) == [path, "other"]


@pytest.mark.parametrize(
    ("page", "path"),
    [
        ("/docs/newts", "docs/newts2.md"),
        ("/docs/newts", "newts.md"),
        ("/docs/newts", "docs/newts/index/x"),
        ("/docs/myindex", "docs/my"),
        ("https://docs/newts", "docs/newts"),
        ("/docs//newts", "docs.md"),
        ("/", "docs/newts.md"),
        ("http://[", "docs/newts.md"),
        ("", "docs/newts.md"),
    ],
)
def test_another_path_is_another_document(page: str, path: str) -> None:
    assert order(page, of("other", 0.9), of(path, 0.89)) == ["other", path]


def test_only_what_comes_close_to_the_best_goes_first() -> None:
    far, close = of("page", 0.8), of("page", 0.86)
    assert order("/page", of("best", 0.9), of("next", 0.87), far) == ["best", "next", "page"]
    assert order("/page", of("best", 0.9), of("next", 0.87), close) == ["page", "best", "next"]


def test_of_many_the_best_are_left_and_the_pages_own_among_them() -> None:
    others = [of(f"o{n}", 0.9 - n / 1000) for n in range(7)]
    assert order("/page", *others, of("page", 0.86)) == ["page", "o0", "o1", "o2", "o3"]
    assert order(None, *others, of("page", 0.86)) == ["o0", "o1", "o2", "o3", "o4"]
    assert order("/page") == []


@given(st.text(), st.lists(st.text(max_size=20), max_size=8))
def test_whatever_is_called_a_page_nothing_is_lost(page: str, paths: list[str]) -> None:
    found = [of(path, 0.9 - n / 50) for n, path in enumerate(paths)]
    assert sorted(order(page, *found, most=8)) == sorted(paths)


@pytest.mark.parametrize("part", ["x", "/", "x:", "//", "@", "index.", "%41", "/index.html"])
def test_however_long_a_page_address_is_it_is_read_at_once(part: str) -> None:
    page = part * 500_000
    assert order(page, of("other", 0.9), of("docs/newts.md", 0.89)) == ["other", "docs/newts.md"]
    assert len(told(page)) <= LONGEST_TOLD


@pytest.mark.parametrize(
    ("page", "kept"),
    [
        ("/docs/newts?email=ann@example.com", "/docs/newts"),
        ("https://a.example/docs#token=5", "https://a.example/docs"),
        ("https://ann:secret@a.example/docs", "https://a.example/docs"),
        ("https:\\\\ann:secret@a.example/docs", "https://a.example/docs"),
        ("https:/ann:secret@a.example/docs", "https:/a.example/docs"),
        ("HTTPS:ann:secret@a.example", "HTTPS:a.example"),
        ("//ann:secret@a.example/docs", "//a.example/docs"),
        ("/@ann/docs", "/@ann/docs"),
        ("https://a.example/@ann/docs", "https://a.example/@ann/docs"),
        ("file:///home/ann/newts.html", "file:"),
        ("data:text/html,<b>ann@example.com", "data:"),
        (" JavaScript:alert(1)//ann", "JavaScript:"),
        ("/wiki/Talk:Newts", "/wiki/Talk:Newts"),
        ("/" + "x" * 1000, "/" + "x" * (LONGEST_TOLD - 1)),
        ("", ""),
    ],
)
def test_what_visitors_send_with_a_pages_address_is_not_told(page: str, kept: str) -> None:
    assert told(page) == kept


@given(st.text(st.sampled_from("ab:/\\@?#. "), max_size=40))
def test_of_no_address_credentials_or_a_query_are_told(page: str) -> None:
    assert not {"?", "#"} & set(told(page))
    assert "@" not in told(f"https://{page}@x").partition("//")[2].partition("/")[0]
