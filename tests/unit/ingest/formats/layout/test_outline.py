from __future__ import annotations

from rag.ingest.formats.layout.line import Bookmark
from rag.ingest.formats.layout.outline import Outline, Place
from tests.unit.ingest.formats.layout.made import stacked

BOOKMARKS = [Bookmark("One", 1, 1), Bookmark("Two", 2, 1, 675), Bookmark("Three", 1, 3)]


def test_sections_begin_at_their_titles() -> None:
    outline = Outline(BOOKMARKS)
    lines = stacked(["Before.", "1. One", "Text.", "1.1 TWO", "Text."])
    assert list(outline.places(1, lines)) == [
        Place(()),
        Place(("One",), True, 1, 1),
        Place(("One",)),
        Place(("One", "Two"), True, 2, 1),
        Place(("One", "Two")),
    ]


def test_without_its_title_a_section_begins_at_its_height() -> None:
    places = list(Outline(BOOKMARKS).places(1, stacked(["A", "B", "C", "D"])))
    assert [place.section for place in places] == [
        ("One",),
        ("One",),
        ("One", "Two"),
        ("One", "Two"),
    ]
    assert [place.is_first for place in places] == [True, False, True, False]


def test_a_section_goes_on_over_pages() -> None:
    outline = Outline(BOOKMARKS)
    sections = [
        [place.section for place in outline.places(page, stacked(["Some text."]))]
        for page in (1, 2, 3)
    ]
    assert sections == [[("One",)], [("One", "Two")], [("Three",)]]


def test_a_title_may_take_several_lines() -> None:
    outline = Outline([Bookmark("Title", 1, 1), Bookmark("A long title, and its end", 1, 1)])
    places = list(outline.places(1, stacked(["Text.", "A long title,", "and its end", "Text."])))
    assert places[1] == Place(("A long title, and its end",), True, 1, 2)


def test_two_sections_of_one_name_are_two() -> None:
    outline = Outline(
        [Bookmark("A", 1, 1), Bookmark("Notes", 2, 1), Bookmark("B", 1, 1), Bookmark("Notes", 2, 1)]
    )
    places = outline.places(1, stacked(["A", "Notes", "B", "Notes"]))
    assert [place.section for place in places] == [("A",), ("A", "Notes"), ("B",), ("B", "Notes")]


def test_a_single_bookmark_tells_no_section() -> None:
    (place,) = Outline([Bookmark("The whole", 1, 1)]).places(1, stacked(["Text."]))
    assert place.section is None
