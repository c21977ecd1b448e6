"""The parts around the parts of an Office file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from xml.sax.saxutils import escape

from tests.writers.story import Story
from tests.writers.zipped import zipped

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
TYPES = "application/vnd.openxmlformats-officedocument"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

# Of each program: its namespace, and the prefixes that its parts use.
NAMESPACES = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in (
        ("r", f"{OFFICE}/relationships"),
        ("w", "http://schemas.openxmlformats.org/wordprocessingml/2006/main"),
        ("p", "http://schemas.openxmlformats.org/presentationml/2006/main"),
        ("a", "http://schemas.openxmlformats.org/drawingml/2006/main"),
        ("s", "http://schemas.openxmlformats.org/spreadsheetml/2006/main"),
    )
)


def part(root: str, content: str) -> str:
    """A part of one element."""
    return f"{HEAD}<{root} {NAMESPACES}>{content}</{root}>"


def relations(targets: Iterable[tuple[str, str]]) -> str:
    """What a part refers to, as kinds and targets: rId1, rId2 and so on."""
    listed = "".join(
        f'<Relationship Id="rId{number}" Type="{OFFICE}/relationships/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">{listed}</Relationships>'


def office(main: str, parts: Mapping[str, tuple[str, str]], story: Story | None = None) -> bytes:
    """An Office file of these parts, each with the end of its media type; a story's properties."""
    types = "".join(
        f'<Override PartName="/{name}" ContentType="{TYPES}.{kind}+xml"/>'
        for name, (kind, _) in parts.items()
        if kind
    )
    core = "docProps/core.xml"
    kind = f"{PACKAGE}/relationships/metadata/core-properties"
    return zipped(
        {
            "[Content_Types].xml": f'{HEAD}<Types xmlns="{PACKAGE}/content-types">'
            '<Default Extension="rels"'
            ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Default Extension="xml" ContentType="application/xml"/>'
            f'<Override PartName="/{core}"'
            ' ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>'
            f"{types}</Types>",
            "_rels/.rels": relations([("officeDocument", main)]).replace(
                "</Relationships>",
                f'<Relationship Id="core" Type="{kind}" Target="{core}"/></Relationships>',
            ),
            **({core: _core(story)} if story else {}),
            **{name: content for name, (_, content) in parts.items()},
        }
    )


def _core(story: Story) -> str:
    return (
        f'{HEAD}<cp:coreProperties xmlns:cp="{PACKAGE}/metadata/core-properties"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"'
        ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"<dc:title>{escape(story.title)}</dc:title><dc:creator>{escape(story.author)}</dc:creator>"
        f'<dcterms:created xsi:type="dcterms:W3CDTF">{story.created}T00:00:00Z</dcterms:created>'
        "</cp:coreProperties>"
    )
