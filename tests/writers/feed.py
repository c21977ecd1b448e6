"""A story as a feed: each of its sections is an entry, its text a web page's."""

from __future__ import annotations

from html import escape

from tests.writers.html import content
from tests.writers.story import Element, Heading, Story


def write(story: Story) -> bytes:
    """The feed."""
    _, *entries = _sections(story)
    return f"""<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel>
<title>{escape(story.title)}</title>
<link>https://example.org/</link>
<description>Kept by {escape(story.author)}</description>
{"".join(map(_item, entries))}
</channel>
</rss>
""".encode()


def _sections(story: Story) -> list[list[Element]]:
    sections: list[list[Element]] = [[]]
    for element in story.elements:
        if isinstance(element, Heading):
            sections.append([])
        sections[-1].append(element)
    return [section for section in sections if section]


def _item(section: list[Element]) -> str:
    heading, *rest = section
    title = heading.text if isinstance(heading, Heading) else ""
    page = content(Story("", "", "", rest))
    return (
        f"<item><title>{escape(title)}</title><pubDate>Fri, 17 May 2024 09:00:00 GMT</pubDate>"
        f"<content:encoded><![CDATA[{page}]]></content:encoded></item>\n"
    )
