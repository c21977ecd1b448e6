from __future__ import annotations

from collections.abc import Callable

from rag.ingest.formats.layout.line import Line
from rag.ingest.formats.layout.running import without_running
from tests.unit.ingest.formats.layout.made import line, page, stacked

PROSE = ["The text of the page", "goes on for lines", "and ends somewhere"]


def kept(count: int, header: Callable[[int], Line]) -> list[str]:
    """The headers that stay of so many pages."""
    headers = [header(number) for number in range(1, count + 1)]
    pages = [page([one, *stacked(PROSE)], number) for number, one in enumerate(headers, 1)]
    texts = {one.text for one in headers}
    return [
        one.text for page in without_running(pages, 10) for one in page.lines if one.text in texts
    ]


def test_what_comes_back_at_the_top_or_the_bottom_goes() -> None:
    assert kept(2, lambda _: line("Journal of Newts", base=770)) == []
    assert kept(2, lambda _: line("All rights reserved", base=20)) == []


def test_numbers_that_go_with_the_pages_make_no_difference() -> None:
    assert kept(3, lambda n: line(f"Page {n} of 3", base=20)) == []
    assert kept(3, lambda n: line(f"{n + 100} Journal, Vol. 12", base=20)) == []
    assert kept(3, lambda n: line(f"– {n} –", base=20)) == []
    assert kept(3, lambda n: line("i" * n, base=20)) == []


def test_other_numbers_do() -> None:
    assert len(kept(3, lambda n: line(f"Item {n * n + 7} of the list", base=770))) == 3


def test_what_stands_in_the_text_stays() -> None:
    assert len(kept(3, lambda _: line("Journal of Newts", base=600))) == 3
    assert len(kept(3, lambda _: line("Journal of Newts", base=714))) == 3


def test_what_is_seldom_in_a_long_document_stays() -> None:
    seldom = kept(20, lambda n: line("Summary" if n in (3, 15) else f"Of {n * n}", base=770))
    assert seldom.count("Summary") == 2


def test_headers_of_chapters_go() -> None:
    chapters = kept(20, lambda n: line(f"Chapter {'ABCDE'[(n - 1) // 4]}", base=770))
    assert chapters == []


def test_large_letters_go_only_if_most_pages_have_them() -> None:
    assert len(kept(3, lambda _: line("Agenda", base=770, size=20))) == 3
    assert kept(6, lambda _: line("The Company", base=770, size=20)) == []


def test_what_runs_up_the_side_of_every_page_goes() -> None:
    side = line("Downloaded by a reader", base=400)
    pages = [
        part
        for number in (1, 2)
        for part in (page(stacked(PROSE), number), page([side], number, is_main=False))
    ]
    assert [len(part.lines) for part in without_running(pages, 10)] == [3, 0, 3, 0]
