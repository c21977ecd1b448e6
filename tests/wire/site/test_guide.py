"""The documentation as pages."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest

from infra.local.serve import SITE
from rag.wire.site.guide import GUIDE, REASONS, Page, pages
from rag.wire.site.markup import html
from rag.wire.site.pages import LONGEST_TEASER, teaser

README = """# Newts

What they are.

## How they live

In ponds. See `infra/decisions/ponds.md`.

```sh
## not a chapter
```

### Winter

They sleep.

## What they eat & drink

Snails.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "decisions").mkdir()
    (tmp_path / "decisions" / "ponds.md").write_text("# Why ponds\n\nThey are wet.\n")
    (tmp_path / "README.md").write_text(README)
    return tmp_path


def test_a_chapter_is_a_page_and_so_is_a_record(folder: Path) -> None:
    assert [(page.url, page.title, page.group) for page in pages(folder)] == [
        ("guide/newts", "Newts", GUIDE),
        ("guide/how-they-live", "How they live", GUIDE),
        ("guide/what-they-eat--drink", "What they eat & drink", GUIDE),
        ("guide/why-ponds", "Why ponds", REASONS),
    ]


def test_no_word_of_a_chapter_is_lost(folder: Path) -> None:
    *chapters, _ = pages(folder)
    assert "".join(one.text for one in chapters) == README
    assert "## not a chapter" in chapters[1].text


def test_the_first_heading_is_the_pages_and_each_has_a_name(folder: Path) -> None:
    _, chapter, *_ = pages(folder)
    made = html(chapter.text, frozenset({"why-ponds"}), "../")
    assert '<h1 id="how-they-live">How they live</h1>' in made
    assert '<h2 id="winter">Winter</h2>' in made


def test_a_record_that_is_named_is_linked(folder: Path) -> None:
    text = "See `infra/decisions/ponds.md`, `ponds.md` and `lakes.md`."
    made = html(text, frozenset({"why-ponds"}), "../")
    assert made.count('<a href="../guide/why-ponds">') == 2
    assert "<code>lakes.md</code>" in made


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "[x](javascript:alert(1))", "![x](https://a.example/x)"]
)
def test_nothing_but_markdown_comes_out_of_markdown(text: str) -> None:
    made = html(text, frozenset(), "")
    assert not re.search(r"<script|<img|href=.javascript", made)


@pytest.mark.parametrize("page", pages(SITE), ids=lambda page: page.name)
def test_every_page_of_ours_is_there_with_what_it_says(http: httpx.Client, page: Page) -> None:
    answer = http.get(f"/{page.url}")
    assert answer.status_code == 200
    assert answer.text.count("<h1 ") == 1
    assert 'aria-current="page"' in answer.text


def test_every_link_of_the_site_leads_somewhere(http: httpx.Client) -> None:
    seen, todo = set(), {"/"}
    while todo:
        path = todo.pop()
        seen.add(path)
        answer = http.get(path)
        assert answer.status_code == 200, path
        if "html" in answer.headers["content-type"] and path not in ("/docs", "/console"):
            for link in re.findall(r'(?:href|src)="([^"#]*)[^"]*"', answer.text):
                target = httpx.URL(answer.url).join(link)
                if target.host == "127.0.0.1" and target.port == answer.url.port:
                    todo |= {target.path} - seen
    assert {"/console", "/docs", "/widget.js", "/site/site.css", "/guide/formats"} <= seen


def test_a_page_that_is_not_there_is_told_as_everything_that_is_not(http: httpx.Client) -> None:
    for path in ("/guide/nothing", "/site/nothing.js", "/site/page.html", "/console/index.html"):
        assert http.get(path).status_code == 404
        assert http.get(path).json()["error"] == "Not found"


@pytest.mark.parametrize("path", ["/site/..%2Fwidget.js", "/docs/..%2f..%2f__init__.py"])
def test_nothing_outside_of_a_folder_can_be_asked_for(http: httpx.Client, path: str) -> None:
    assert http.get(path).status_code == 404


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        (
            "## Cats\n\nThey *hunt* `mice`, [says Ann](https://a.example):",
            "They hunt mice, says Ann",
        ),
        ("## Cats\n\n```sh\nhunt\n\nand sleep\n```\n\nThey hunt.", "They hunt."),
        ("## Cats\n", ""),
    ],
)
def test_a_page_is_announced_by_how_it_begins(text: str, begins: str) -> None:
    assert teaser(text) == begins


def test_a_long_beginning_is_cut_between_words() -> None:
    told = teaser("## Cats\n\n" + "hunting " * 100)
    assert len(told) <= LONGEST_TEASER + 2
    assert told.endswith("hunting …")
