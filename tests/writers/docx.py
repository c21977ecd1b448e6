"""A story as a Word document."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from tests.writers.ooxml import office, part, relations
from tests.writers.story import Code, Element, Heading, Items, Paragraph, Quote, Story, Table

MAIN = "word/document.xml"
LISTED = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
NUMBERING = (
    '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/>'
    '<w:lvlText w:val="•"/></w:lvl></w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
)


def write(story: Story) -> bytes:
    """A Word document, with styles as Word itself names them."""
    return package("".join(map(_written, story.elements)), story)


def package(body: str, story: Story | None = None, **parts: str) -> bytes:
    """A document of this body; further parts by the kinds of their relations."""
    parts = {"styles": part("w:styles", _styles()), "numbering": part("w:numbering", NUMBERING)} | {
        kind: part(f"w:{kind}", content) for kind, content in parts.items()
    }
    return office(
        MAIN,
        {
            MAIN: (
                "wordprocessingml.document.main",
                part("w:document", f"<w:body>{body}</w:body>"),
            ),
            "word/_rels/document.xml.rels": (
                "",
                relations((kind, f"{kind}.xml") for kind in parts),
            ),
            **{f"word/{kind}.xml": (f"wordprocessingml.{kind}", parts[kind]) for kind in parts},
        },
        story,
    )


def numbered(*texts: str) -> bytes:
    """A document of items that Word counts, each a level deeper than the one before."""
    levels = "".join(
        f'<w:lvl w:ilvl="{level}"><w:start w:val="3"/><w:numFmt w:val="lowerRoman"/>'
        f'<w:lvlRestart w:val="1"/><w:lvlText w:val="%1.%{level + 1})"/></w:lvl>'
        for level in range(len(texts))
    )
    numbering = (
        f'<w:abstractNum w:abstractNumId="0">{levels}</w:abstractNum><w:num w:numId="1">'
        '<w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/>'
        "</w:lvlOverride></w:num>"
    )
    body = "".join(
        paragraph(text, extra=LISTED.replace('ilvl w:val="0"', f'ilvl w:val="{level}"'))
        for level, text in enumerate(texts)
    )
    return package(body, numbering=numbering)


def paragraph(text: str, style: str = "", extra: str = "") -> str:
    """A paragraph in this style."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    lines = "<w:br/>".join(
        f'<w:t xml:space="preserve">{escape(line)}</w:t>' for line in text.split("\n")
    )
    return f"<w:p><w:pPr>{named}{extra}</w:pPr><w:r>{lines}</w:r></w:p>"


def table(*rows: Sequence[str]) -> str:
    """A table of rows of cells."""
    grid = '<w:gridCol w:w="3000"/>' * max(map(len, rows))
    written = "".join(f"<w:tr>{''.join(row)}</w:tr>" for row in rows)
    return f"<w:tbl><w:tblPr/><w:tblGrid>{grid}</w:tblGrid>{written}</w:tbl>"


def cell(text: str) -> str:
    """A cell of a table."""
    return f"<w:tc>{paragraph(text)}</w:tc>"


def _written(element: Element) -> str:
    match element:
        case Heading(level, text):
            return paragraph(text, f"Heading{level}")
        case Paragraph(text):
            return paragraph(text)
        case Items(texts):
            return "".join(paragraph(text, extra=LISTED) for text in texts)
        case Quote(text):
            return paragraph(text, "Quote")
        case Code(text):
            return paragraph(text, "SourceCode")
        case Table(header, rows):
            return table(*(list(map(cell, row)) for row in (header, *rows)))


def _styles() -> str:
    headings = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/>'
        f'<w:pPr><w:outlineLvl w:val="{level - 1}"/></w:pPr></w:style>'
        for level in range(1, 7)
    )
    named = "".join(
        f'<w:style w:type="paragraph" w:styleId="{name.replace(" ", "")}">'
        f'<w:name w:val="{name}"/></w:style>'
        for name in ("Title", "Quote", "Source Code")
    )
    return headings + named
