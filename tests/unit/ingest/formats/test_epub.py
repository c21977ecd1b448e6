from __future__ import annotations

import pytest

from rag.errors import Unreadable
from rag.ingest.formats import read
from tests.writers import epub
from tests.writers.story import STORY
from tests.writers.zipped import zipped

CONTAINER = '<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>'


def book(facts: str = "", parts: str = "", order: str = "", **files: str) -> dict[str, str | bytes]:
    return {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "a.opf": f"""<package xmlns:dc="http://purl.org/dc/elements/1.1/">
            <metadata>{facts}</metadata>
            <manifest>
            <item id="1" href="1.html" media-type="application/xhtml+xml"/>
            <item id="2" href="2.html" media-type="application/xhtml+xml"/>
            {parts}</manifest>
            <spine>{order or '<itemref idref="1"/><itemref idref="2"/>'}</spine></package>""",
        "1.html": "<html><body><p>First</p></body></html>",
        "2.html": "<html><body><p>Second</p></body></html>",
        **{name.replace("_", "."): text for name, text in files.items()},
    }


def test_chapters_are_in_the_order_of_the_book() -> None:
    text = read("epub", epub.write(STORY)).text
    places = [text.index(words) for words in ("keeping", "Housing", "Feeding", "Records")]
    assert places == sorted(places)
    assert text.startswith("Authors: Ada Brook\n\n# The keeping of newts\n\nNewts are small")
    assert "Part" not in text  # of the table of contents


def test_chapters_go_on_below_the_headings_before() -> None:
    parsed = read("epub", epub.write(STORY))
    assert parsed.marks[-1].section == ("The keeping of newts", "Records")


def test_a_book_says_what_it_is() -> None:
    facts = """<dc:title>Newts</dc:title><dc:title>A guide</dc:title>
        <dc:creator>Ada Brook</dc:creator><dc:creator>Bo Reed</dc:creator>
        <dc:description>&lt;p&gt;All of &lt;i&gt;it&lt;/i&gt;&lt;/p&gt;</dc:description>
        <dc:date>2024-05-17</dc:date><meta property="dcterms:modified">2024-06-01T00:00:00Z</meta>
        <dc:language>en</dc:language><dc:subject>Ponds</dc:subject><dc:rights>All</dc:rights>"""
    parsed = read("epub", zipped(book(facts)))
    assert parsed.title == "Newts"
    assert parsed.text.startswith("Authors: Ada Brook, Bo Reed\n\nDescription: All of it\n\nFirst")
    assert parsed.properties == {
        "author": "Ada Brook, Bo Reed",
        "created": "2024-05-17",
        "modified": "2024-06-01T00:00:00Z",
        "subject": "Ponds",
        "description": "All of it",
        "language": "en",
    }


NAV = '<html><body><nav><a href="1.html#top">One <b>day</b></a></nav></body></html>'
NCX = """<ncx><navMap><navPoint><navLabel><text>One day</text></navLabel><content src="1.html"/>
    </navPoint></navMap></ncx>"""


@pytest.mark.parametrize(
    ("part", "contents"),
    [
        ('<item href="c.x" media-type="application/xhtml+xml" properties="nav"/>', NAV),
        ('<item href="c.x" media-type="application/x-dtbncx+xml"/>', NCX),
    ],
)
def test_the_contents_name_chapters_that_have_no_heading(part: str, contents: str) -> None:
    parsed = read("epub", zipped(book(parts=part, c_x=contents)))
    assert [(parsed.text[mark.start :][:6], mark.section) for mark in parsed.marks] == [
        ("First\n", ("One day",)),
        ("Second", ()),
    ]


def test_a_book_is_read_without_contents_that_are_broken() -> None:
    part = '<item href="c.x" media-type="application/x-dtbncx+xml"/>'
    assert read("epub", zipped(book(parts=part, c_x="<ncx>&nbsp;"))).text == "First\n\nSecond"


def test_what_is_missing_or_is_no_chapter_is_passed_over() -> None:
    order = "".join(f'<itemref idref="{name}"/>' for name in ("cover", "gone", "none", "2"))
    parts = """<item id="cover" href="c.svg" media-type="image/svg+xml"/>
        <item id="gone" href="gone.html" media-type="application/xhtml+xml"/>"""
    assert read("epub", zipped(book(parts=parts, order=order, c_svg="<svg/>"))).text == "Second"


@pytest.mark.parametrize(("locked", "is_read"), [("1.html", False), ("font.otf", True)])
def test_a_book_that_only_its_shop_can_open_says_so(locked: str, is_read: bool) -> None:
    keys = f'<encryption><CipherData><CipherReference URI="{locked}"/></CipherData></encryption>'
    data = zipped(book() | {"META-INF/encryption.xml": keys})
    if is_read:
        assert read("epub", data).text == "First\n\nSecond"
    else:
        with pytest.raises(Unreadable, match="protected against copying"):
            read("epub", data)


@pytest.mark.parametrize("gone", ["META-INF/container.xml", "a.opf"])
def test_a_book_without_a_list_of_chapters_is_damaged(gone: str) -> None:
    parts = book()
    del parts[gone]
    with pytest.raises(Unreadable, match="is damaged: it has no list of its chapters"):
        read("epub", zipped(parts))
