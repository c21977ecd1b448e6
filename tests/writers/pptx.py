"""A story as slides, one for each of its headings: without masters and layouts, which say how they
look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from xml.sax.saxutils import escape

from tests.writers.ooxml import office, part, relations
from tests.writers.story import Code, Element, Heading, Items, Paragraph, Quote, Story, Table

MAIN = "ppt/presentation.xml"
KIND = "presentationml"


def write(story: Story) -> bytes:
    """A presentation."""
    return package([slide(*map(_written, elements)) for elements in _slides(story)], story)


def package(
    slides: Sequence[str],
    story: Story | None = None,
    parts: Mapping[str, str] | None = None,
    of_slide: Sequence[tuple[str, str]] = (),
    of_all: Sequence[tuple[str, str]] = (),
) -> bytes:
    """A presentation of these slides, and further parts by their names: `of_slide` is what each
    slide refers to, `of_all` what the presentation does."""
    numbers = range(1, len(slides) + 1)
    listed = "".join(f'<p:sldId id="{255 + number}" r:id="rId{number}"/>' for number in numbers)
    names = [f"slides/slide{number}.xml" for number in numbers]
    to_all = relations([*(("slide", name) for name in names), *of_all])
    return office(
        MAIN,
        {
            MAIN: (
                f"{KIND}.presentation.main",
                part("p:presentation", f"<p:sldIdLst>{listed}</p:sldIdLst>"),
            ),
            "ppt/_rels/presentation.xml.rels": ("", to_all),
            **{
                f"ppt/{name}": (f"{KIND}.slide", part("p:sld", content))
                for name, content in zip(names, slides, strict=True)
            },
            **{
                f"ppt/slides/_rels/slide{number}.xml.rels": ("", relations(of_slide))
                for number in numbers
            },
            **{name: ("", content) for name, content in (parts or {}).items()},
        },
        story,
    )


def slide(*shapes: str) -> str:
    """The content of a slide, or of its notes."""
    return f"<p:cSld><p:spTree>{''.join(shapes)}</p:spTree></p:cSld>"


def shape(*texts: str, fills: str | None = None, says: str = "") -> str:
    """A shape with paragraphs, that may fill a place of the layout."""
    place = f'<p:ph type="{fills}"/>' if fills is not None else ""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="Shape"/><p:cNvSpPr/><p:nvPr>{place}</p:nvPr>'
        f"</p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>{_paragraphs(texts, says)}</p:txBody></p:sp>"
    )


def frame(graphic: str) -> str:
    """The frame of a table, a chart or a diagram."""
    return (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="3" name="Frame"/></p:nvGraphicFramePr>'
        f"<a:graphic><a:graphicData>{graphic}</a:graphicData></a:graphic></p:graphicFrame>"
    )


def table(rows: Sequence[Sequence[str]]) -> str:
    """A table in its frame."""
    written = "".join(f'<a:tr h="0">{"".join(map(_cell, row))}</a:tr>' for row in rows)
    grid = '<a:gridCol w="0"/>' * len(rows[0])
    return frame(f"<a:tbl><a:tblGrid>{grid}</a:tblGrid>{written}</a:tbl>")


def _cell(text: str) -> str:
    return f"<a:tc><a:txBody><a:bodyPr/>{_paragraphs([text])}</a:txBody></a:tc>"


def _paragraphs(texts: Sequence[str], says: str = "") -> str:
    return "".join(
        f"<a:p><a:pPr>{says}</a:pPr>"
        + "<a:br/>".join(f"<a:r><a:t>{escape(line)}</a:t></a:r>" for line in text.split("\n"))
        + "</a:p>"
        for text in texts
    )


def _slides(story: Story) -> Iterator[list[Element]]:
    slide: list[Element] = []
    for element in story.elements:
        if isinstance(element, Heading) and slide:
            yield slide
            slide = []
        slide.append(element)
    yield slide


def _written(element: Element) -> str:
    match element:
        case Heading(_, text):
            return shape(text, fills="title")
        case Items(texts):
            return shape(*texts, fills="body")
        case Paragraph(text) | Quote(text) | Code(text):
            return shape(text)
        case Table(header, rows):
            return table([header, *rows])
