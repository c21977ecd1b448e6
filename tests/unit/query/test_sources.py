"""What is shown beside an answer: addresses that lead nowhere else, and the words that matter."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rag.model import Document, Span
from rag.query.sources import LONGEST_EXCERPT, address, around
from tests.passages import excerpt

PAGE = "https://docs.example/guide/start"


def document(path: str, url: str | None = None) -> Document:
    return replace(excerpt("x").document, path=path, url=url)


@pytest.mark.parametrize(
    ("path", "url", "heading", "expected"),
    [
        ("docs/newts.md", None, "", "/docs/newts.md"),
        ("/docs/newts.md", None, "What is?", "/docs/newts.md#what-is"),
        ("//evil.example/x", None, "", "/evil.example/x"),
        ("\\\\evil.example\\x", None, "", "/evil.example%5Cx"),
        ("/\\evil.example", None, "", "/evil.example"),
        ("javascript:alert(1)", None, "", "/javascript%3Aalert%281%29"),
        ("a b#c?d.md", None, "", "/a%20b%23c%3Fd.md"),
        ("x", "https://a.example/b", "Two  words", "https://a.example/b#two--words"),
        ("x", "https://a.example/b#c", "Heading", "https://a.example/b#c"),
        ("x", "HTTP://a.example", "", "HTTP://a.example"),
        ("x", "/docs/newts", "", "/docs/newts"),
        ("x", "docs/newts?v=2", "", "docs/newts?v=2"),
        ("x", "/docs/my newts", "Größe & `Farbe`", "/docs/my%20newts#gr%C3%B6%C3%9Fe--farbe"),
        ("x", "javascript:alert(1)", "", "/x"),
        ("x", " \x01javascript:alert(1)", "", "/x"),
        ("x", "data:text/html,x", "", "/x"),
        ("x", "//evil.example/x", "", "/x"),
        ("x", "\\\\evil.example/x", "", "%5C%5Cevil.example/x"),
        ("x", "/\t/evil.example/x", "", "/%09/evil.example/x"),
        ("x", "https:evil.example", "", "/x"),
        ("x", "https:///evil.example", "", "/x"),
        ("x", "https://", "", "/x"),
        ("x", "   ", "", "/x"),
        ("", None, "", "/"),
    ],
)
def test_a_source_leads_to_its_document(
    path: str, url: str | None, heading: str, expected: str
) -> None:
    assert address(document(path, url), heading) == expected


SIGNS = st.text(st.sampled_from("/\\:.?#@ \t\nahttpsjv\x01%ä"), max_size=12)


@given(SIGNS | st.text(), st.none() | SIGNS | st.text(), SIGNS)
@example("x", "java\nscript:alert(1)", "")
def test_no_path_leads_to_another_site_and_no_address_runs_a_script(
    path: str, url: str | None, heading: str
) -> None:
    led = address(document(path, url), heading)
    assert not any(one.isspace() or one < " " or one in '\\"<>' for one in led)
    if led.lower().startswith(("http://", "https://")):
        assert url is not None
        assert url.strip().lower().startswith(("http://", "https://"))
    else:
        there = urlsplit(urljoin(PAGE, led))
        assert (there.scheme, there.netloc) == ("https", "docs.example")


def test_a_short_text_is_shown_whole() -> None:
    assert around("Newts\n\nsleep  in winter.", Span(7, 9)) == "Newts sleep in winter."


def test_of_a_long_text_the_words_that_matter_come_first() -> None:
    text = f"{'Of ponds and rivers. ' * 30}Newts sleep in winter. {'Of hills and trees. ' * 30}"
    at = text.index("Newts")
    part = around(text, Span(at, at + 22))
    assert part.startswith("…Newts sleep in winter. Of hills")
    assert part.endswith("…")
    assert not part.removesuffix("…").endswith(" ")


def test_near_its_end_what_is_before_them_is_shown_too() -> None:
    text = f"{'Of ponds and rivers. ' * 30}Newts sleep."
    part = around(text, Span(text.index("Newts"), len(text)))
    assert part.startswith("…")
    assert part.endswith("rivers. Newts sleep.")
    assert 150 < len(part) <= LONGEST_EXCERPT


@given(
    st.text(st.sampled_from("ab \n…é"), max_size=900) | st.text(max_size=900),
    st.integers(0, 900),
    st.integers(0, 900),
)
def test_an_excerpt_is_of_the_text_and_short(text: str, start: int, length: int) -> None:
    start = min(start, len(text))
    part = around(text, Span(start, min(len(text), start + length)))
    assert len(part) <= LONGEST_EXCERPT
    words = " ".join(text.split())
    assert part in words or part.strip("…") in words
    assert part.strip("… ") or not words.strip("… ")
