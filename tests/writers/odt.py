"""A story as a text document of OpenDocument."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape

from tests.writers.story import Code, Element, Heading, Items, Paragraph, Quote, Story, Table
from tests.writers.zipped import zipped

TYPE = "application/vnd.oasis.opendocument.text"
NAMESPACES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in (
        ("office", "office"),
        ("text", "text"),
        ("table", "table"),
        ("style", "style"),
        ("meta", "meta"),
        ("draw", "drawing"),
        ("svg", "svg-compatible"),
        ("manifest", "manifest"),
    )
) + ' xmlns:dc="http://purl.org/dc/elements/1.1/"'  # fmt: skip

STYLES = "".join(
    f'<style:style style:name="{name}" style:family="paragraph"/>'
    for name in ("Standard", "Title", "Quotations", "Preformatted_20_Text")
)
SPACES = re.compile("  +")


def write(story: Story) -> bytes:
    """A text document, with styles as LibreOffice names them."""
    about = (
        f"<dc:title>{escape(story.title)}</dc:title>"
        f"<meta:initial-creator>{escape(story.author)}</meta:initial-creator>"
        f"<meta:creation-date>{story.created}T00:00:00</meta:creation-date>"
    )
    return package("".join(map(_written, story.elements)), about)


def package(body: str, about: str = "", styles: str = "", manifest: str = "") -> bytes:
    """A document of this body, and what it says of itself."""
    entries = "".join(
        f'<manifest:file-entry manifest:full-path="{path}" manifest:media-type="{kind}">'
        f"{manifest}</manifest:file-entry>"
        for path, kind in (
            ("/", TYPE),
            *((f"{name}.xml", "text/xml") for name in ("content", "styles", "meta")),
        )
    )
    content = (
        f"<office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body>"
    )
    return zipped(
        {
            "mimetype": TYPE,
            "content.xml": _part("office:document-content", content),
            "styles.xml": _part(
                "office:document-styles", f"<office:styles>{STYLES}</office:styles>"
            ),
            "meta.xml": _part("office:document-meta", f"<office:meta>{about}</office:meta>"),
            "META-INF/manifest.xml": _part("manifest:manifest", entries),
        }
    )


def numbered(*texts: str) -> bytes:
    """A document of items that LibreOffice counts, each a level deeper than the one before."""
    levels, body = "", ""
    for level, text in reversed(list(enumerate(texts, 1))):
        levels += (
            f'<text:list-level-style-number text:level="{level}" style:num-format="i"'
            f' style:num-suffix=")" text:start-value="3" text:display-levels="{level}"/>'
        )
        body = f"<text:list-item>{paragraph(text)}{body}</text:list-item>"
        body = f'<text:list text:style-name="L1">{body}</text:list>'
    return package(body, styles=f'<text:list-style style:name="L1">{levels}</text:list-style>')


def paragraph(text: str, style: str = "Standard") -> str:
    """A paragraph in this style."""
    return f'<text:p text:style-name="{style}">{_text(text)}</text:p>'


def cell(text: str) -> str:
    """A cell of a table."""
    return f"<table:table-cell>{paragraph(text)}</table:table-cell>"


def _written(element: Element) -> str:
    match element:
        case Heading(level, text):
            return f'<text:h text:outline-level="{level}">{_text(text)}</text:h>'
        case Paragraph(text):
            return paragraph(text)
        case Items(texts):
            listed = (f"<text:list-item>{paragraph(text)}</text:list-item>" for text in texts)
            return f"<text:list>{''.join(listed)}</text:list>"
        case Quote(text):
            return paragraph(text, "Quotations")
        case Code(text):
            return "".join(paragraph(line, "Preformatted_20_Text") for line in text.split("\n"))
        case Table(header, rows):
            written = (
                f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows
            )
            first = f"<table:table-row>{''.join(map(cell, header))}</table:table-row>"
            columns = f'<table:table-column table:number-columns-repeated="{len(header)}"/>'
            return (
                f"<table:table>{columns}<table:table-header-rows>{first}</table:table-header-rows>"
                f"{''.join(written)}</table:table>"
            )


def _text(text: str) -> str:
    """Where there is more than one space, their number is said."""
    return SPACES.sub(lambda found: f'<text:s text:c="{len(found[0])}"/>', escape(text))


def _part(root: str, content: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} {NAMESPACES}>{content}</{root}>'
