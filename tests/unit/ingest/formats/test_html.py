from __future__ import annotations

import pytest

from rag.errors import Unreadable
from rag.ingest.formats import read
from tests.writers import html
from tests.writers.story import STORY

PROSE = "<p>Newts are small salamanders that live in water and on land.</p>" * 6


def text(page: str) -> str:
    return read("html", page.encode()).text


def test_a_page_is_read_without_what_is_around_it() -> None:
    parsed = read("html", html.write(STORY))
    assert parsed.text.startswith("# The keeping of newts\n\nNewts are small salamanders that")
    assert parsed.text.endswith("Café owners in Zürich keep them too, as do many in Łódź.")
    for around in ("society", "Shop", "cookies", "Accept", "menu", "margin", "rights", "¶"):
        assert around not in parsed.text


def test_a_page_says_what_it_is() -> None:
    page = f"""<html lang="de-AT"><title> Die  Molche\n</title>
        <meta name="Author" content="Ada Brook"><meta property="article:author" content="https://x">
        <meta property="article:published_time" content="2024-05-17T10:30:00Z">
        <meta http-equiv="last-modified" content="Sat, 18 May 2024 10:30:00 GMT">
        <meta name="description" content=""><meta property="og:description" content="All of it">
        <meta name="keywords" content="newts, ponds"><meta name="robots" content="all">
        <body>{PROSE}"""
    parsed = read("html", page.encode())
    assert parsed.title == "Die Molche"
    assert parsed.properties == {
        "author": "Ada Brook",
        "created": "2024-05-17T10:30:00Z",
        "modified": "2024-05-18T10:30:00+00:00",
        "description": "All of it",
        "keywords": "newts, ponds",
        "language": "de-AT",
    }


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ('<title></title><meta property="og:title" content="Shared">', "Shared"),
        ("", "The heading"),
    ],
)
def test_a_page_without_a_title_is_called_by_what_comes_near(head: str, title: str) -> None:
    page = f"<head>{head}</head><body><svg><title>Icon</title></svg><h1>The\nheading</h1>{PROSE}"
    assert read("html", page.encode()).title == title


def test_a_page_may_be_of_any_charset() -> None:
    page = "<html><head><meta charset=windows-1250></head><body><p>Łódź</p>"
    assert read("html", page.encode("cp1250")).text == "Łódź"
    assert read("html", "<p>Łódź und Zürich</p>".encode("cp1250"), "cp1250").text.startswith("Łódź")


@pytest.mark.parametrize(
    "opening",
    ["<main>", "<div role=main>", "<article>", "<div id=content>", "<div class='x main'>"],
)
@pytest.mark.parametrize(
    "furniture",
    [
        "<nav><a href=/>Away</a></nav>",
        "<header><p>Away</p></header>",
        "<footer>Away</footer>",
        "<aside>Away</aside>",
        "<div role=banner>Away</div>",
        "<form role=search><label>Away</label></form>",
        "<div class='site-menu'><a href=x>Away</a></div>",
        "<div id=left_sidebar><p>Away</div>",
        "<div class='CookieBar gdpr-notice'><p>Away</div>",
        "<dialog open>Away</dialog>",
    ],
)
def test_furniture_is_left_out_wherever_the_content_is(opening: str, furniture: str) -> None:
    closing = f"</{opening[1:].split()[0].rstrip('>')}>"
    assert "Away" not in text(f"<body>{furniture}{opening}{PROSE}{closing}{furniture}")


@pytest.mark.parametrize(
    "element",
    [
        "<header><p>Stays</p></header>",
        "<footer>Stays</footer>",
        "<aside>Note: Stays</aside>",
        "<section role=contentinfo>Stays</section>",
        "<div class=related>Stays, as it is about <a href=x>newts</a></div>",
        "<div class=navigator>Stays</div>",
        "<p class=shareholders>Stays</p>",
        "<section id=cookies><h2>Cookies</h2>Stays</section>",
        "<h2 id=newsletter>Stays</h2>",
        "<pre class=line-numbers>Stays</pre>",
    ],
)
def test_the_content_may_have_parts_that_elsewhere_are_furniture(element: str) -> None:
    assert "Stays" in text(f"<main>{PROSE}{element}</main>")


@pytest.mark.parametrize(
    "element",
    [
        "<nav>Away</nav>",
        "<div class='share-buttons'>Away</div>",
        "<ul class=menu><li><a href=x>Away and away</a></ul>",
        "<aside><a href=x>Away and away</a></aside>",
        "<span class=sr-only>Away</span>",
        "<div class=linenos><pre>Away</pre></div>",
    ],
)
def test_furniture_inside_of_the_content_is_left_out(element: str) -> None:
    assert "Away" not in text(f"<main>{PROSE}{element}</main>")


def test_nothing_that_holds_much_of_the_page_is_furniture() -> None:
    assert "Newts" in text(f"<body class=modal><div class='page-modal sidebar'>{PROSE}</div>")
    assert "Newts" in text(f"<div class=banner><h1>Newts</h1></div>{PROSE}")
    assert "Newts" in text(f"<header><h1>Newts</h1></header>{PROSE.replace('Newts', '')}")


def test_a_section_that_is_called_like_furniture_is_read() -> None:
    assert "Stays" in text(f"{PROSE}<div id=social-media><h2>Social media</h2>Stays</div>")
    assert "Stays" in text(f"{PROSE}<h2 id=sidebar>Stays</h2>")


@pytest.mark.parametrize("name", ["menu-item", "overflow-hidden", "related", "sidebars-are-bad"])
def test_names_that_content_has_too_are_no_proof(name: str) -> None:
    assert "Stays" in text(f"{PROSE}<div class='{name}'>Stays</div>")


def test_a_small_main_is_not_the_content() -> None:
    assert "Newts" in text(f"<main>Loading</main><div>{PROSE}</div>")


def test_a_main_that_is_most_of_a_short_page_is_the_content() -> None:
    assert text("<h2>Ponds</h2><main><h1>Ponds</h1>Newts live in ponds.</main>") == (
        "# Ponds\n\nNewts live in ponds."
    )


def test_scripts_do_not_count_when_shares_of_the_page_do() -> None:
    script = f"<script>{'let newts = 1; ' * 1000}</script>"
    page = f"<div class=sidebar>{PROSE}</div>{script}"
    assert "Away" not in text(f"<div>Away</div><main>{PROSE}</main>{script}")
    assert "Newts" in text(f"<div>Ponds</div>{page}")


def test_several_articles_are_all_read() -> None:
    page = f"<article>First {PROSE}</article><article>Second</article>"
    assert "First" in text(page)
    assert "Second" in text(page)


def test_a_page_of_nothing_but_menus_is_read() -> None:
    assert text("<nav><ul><li><a href=x>Ponds</a><li>Tanks</ul></nav>") == "- Ponds\n- Tanks"


@pytest.mark.parametrize("page", ["<html><body></html>", "<script>let x</script>", "<!---->"])
def test_a_page_without_text_is_unreadable(page: str) -> None:
    with pytest.raises(Unreadable, match="has no text"):
        text(page)
