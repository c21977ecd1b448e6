"""A story as a book: a chapter for each heading of the two highest levels."""

from __future__ import annotations

from dataclasses import replace
from html import escape

from tests.writers.html import content
from tests.writers.story import Element, Heading, Story
from tests.writers.zipped import zipped

_CONTAINER = """<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles>
<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/>
</rootfiles>
</container>"""


def write(story: Story) -> bytes:
    """The book."""
    chapters = _chapters(story)
    names = [f"chapter%20{number}.xhtml" for number in range(1, len(chapters) + 1)]
    pages = {
        f"OEBPS/text/{name.replace('%20', ' ')}": _page(content(chapter))
        for name, chapter in zip(names, chapters, strict=True)
    }
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": _CONTAINER,
            "OEBPS/book.opf": _package(story, names),
            "OEBPS/nav.xhtml": _page(_contents(names)),
            # The order in the file is not that of the book.
            **dict(reversed(pages.items())),
        }
    )


def _chapters(story: Story) -> list[Story]:
    chapters: list[list[Element]] = []
    for element in story.elements:
        if not chapters or (isinstance(element, Heading) and element.level <= 2):
            chapters.append([])
        chapters[-1].append(element)
    return [replace(story, elements=chapter) for chapter in chapters]


def _package(story: Story, names: list[str]) -> str:
    items = "".join(
        f'<item id="{name}" href="text/{name}" media-type="application/xhtml+xml"/>'
        for name in names
    )
    order = "".join(f'<itemref idref="{name}"/>' for name in names)
    return f"""<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title>{escape(story.title)}</dc:title>
<dc:creator>{escape(story.author)}</dc:creator>
<dc:date>{story.created}</dc:date>
<dc:language>en</dc:language>
</metadata>
<manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
{items}
</manifest>
<spine><itemref idref="nav"/>{order}</spine>
</package>"""


def _contents(names: list[str]) -> str:
    links = "".join(f'<li><a href="text/{name}">Part {name}</a></li>' for name in names)
    return f"<nav><ol>{links}</ol></nav>"


def _page(body: str) -> str:
    # A title that is empty in this way would swallow all that follows, were it read as HTML.
    return f"""<?xml version="1.0" encoding="utf-8"?>
<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head>
<body>{body}</body></html>"""
