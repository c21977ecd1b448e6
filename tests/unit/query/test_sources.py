"""What is shown beside an answer: addresses that lead nowhere else, and the words that matter."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urljoin, urlsplit

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rag.answering import Answered
from rag.model import Document, Embedding, Excerpt, Found, Mark, Question, Span
from rag.query.assemble import assemble
from rag.query.layouts import PLATFORM
from rag.query.pipeline import Queried
from rag.query.selection import Beside, selected
from rag.query.sources import LONGEST_EXCERPT, Shown, address, around, shown
from tests.passages import excerpt, grounding, sentence

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


NEWTS, RIVERS = "Newts sleep.", "Of rivers, much can be said here. " * 20
QUESTION = Question("q", (), {}, Embedding(np.zeros(1, np.float32)), 0)


def listed(found: list[Excerpt], *cited: tuple[int, str], best: str = NEWTS) -> list[Shown]:
    """What is shown of what was found, for an answer that has these quotes of these numbers."""
    layout = Beside(selected("Of newts."), PLATFORM)
    assembled = assemble("q", found, 40_000, layout)
    ground = replace(
        grounding(sentence(found, best), sentence(found, RIVERS[:33])),
        relevant=tuple(range(len(found))),
    )
    run = Queried(Found(QUESTION, tuple(found)), tuple(found), ground, assembled, iter(()))
    pieces = {piece.n: piece for piece in assembled.pieces}
    citations = []
    for n, quote in cited:
        at = pieces[n].text.index(quote)
        citations.append(pieces[n].cited(Span(at, at + len(quote))))
    return [*shown(run, Answered("", tuple(citations), 1.0, "m"))]


def test_what_is_named_or_relevant_is_shown_in_the_order_of_the_search() -> None:
    found = [
        excerpt(f"{RIVERS}{NEWTS}", "The\n page's", id="a", score=0.86),
        excerpt("Frogs jump.", id="b", score=0.9),
        excerpt("Toads sing.", id="c", score=0.4),
        excerpt("Carps swim.", "", id="d", score=0.3),
    ]
    assert [one.title for one in listed(found)] == ["The page's", "T"]
    told = listed(found, (4, "Carps"))
    assert [(one.title, one.n, one.score) for one in told] == [
        ("The page's", 2, 0.86),
        ("T", 1, 0.9),
        ("/d", 4, 0.3),
    ]


def test_where_nothing_is_relevant_the_best_is_shown() -> None:
    found = [excerpt(f"{NEWTS} {RIVERS}", score=0.4), excerpt("Toads.", id="c", score=0.3)]
    assert [one.score for one in listed(found)] == [0.4]


def test_an_excerpt_begins_with_what_is_quoted_or_else_what_was_found() -> None:
    marks = (Mark(0, section=("Rivers",)), Mark(len(RIVERS), section=("Rivers", "Newts & co")))
    text = f"{RIVERS}{NEWTS} They eat. {RIVERS}"
    found = [excerpt(text, score=0.9, marks=marks)]
    (evident,) = listed(found)
    assert evident.excerpt.startswith(f"…{NEWTS}")
    assert evident.url == "/d#newts--co"
    (quoted,) = listed(found, (1, "They eat."), (1, "Of rivers"))
    assert quoted.excerpt.startswith("…They eat.")
    (begins,) = listed(found, (1, "Of rivers"))
    assert begins.excerpt.startswith("Of rivers")
    assert begins.url == "/d#rivers"


def test_an_id_is_of_the_document_and_its_best_passage() -> None:
    def id_of(*found: Excerpt) -> str:
        return listed([*found])[0].id

    text = f"{NEWTS} {RIVERS}"
    best = excerpt(text, score=0.9)
    same = id_of(best)
    assert id_of(excerpt(text, "Another title", index=3, start=99, score=0.6)) == same
    assert id_of(excerpt(text, id="e", score=0.9)) != same
    assert id_of(excerpt(f"{text}.", score=0.9)) != same
    neighbour = excerpt("Toads.", index=1, start=len(text), score=0.7)
    assert id_of(best, neighbour) == same
