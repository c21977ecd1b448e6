"""One story in every format: it says the same, and each part of it is where the story has it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import pytest

from rag.ingest.formats import read
from rag.model import Mark, Parsed, mark_at
from tests.writers import docx, eml, epub, html, md, odt, pdf, pptx, rtf
from tests.writers.story import STORY, Code, Element, Items, Table

FILES = {
    "markdown": md.write(STORY),
    "html": html.write(STORY),
    "docx": docx.write(STORY),
    "pdf": pdf.write(STORY),
    "pptx": pptx.write(STORY),
    "epub": epub.write(STORY),
    "odt": odt.write(STORY),
    "rtf": rtf.write(STORY),
}
# What a book tells of itself before it begins.
BEFORE = {"epub": ["Authors", *STORY.author.split()]}
PAGES = {"pdf": (1, 1, 2), "pptx": (2, 3, 4)}

ALL = pytest.mark.parametrize("kind", FILES)

HOUSING, FEEDING, WINTER = "flat stone to climb on", "Feed live food", "rest in a cool cellar"
_WORDS = re.compile(r"\w+")
_FENCES = re.compile(r"^```\w*", re.MULTILINE)  # of code, which may say its language


def words(text: str) -> list[str]:
    return _WORDS.findall(_FENCES.sub("", text))


def told(element: Element) -> Iterable[str]:
    match element:
        case Items(texts):
            return texts
        case Table(header, rows):
            return (cell for row in (header, *rows) for cell in row)
        case _:
            return (element.text,)


STORY_WORDS = [word for element in STORY.elements for text in told(element) for word in words(text)]


def marks(parsed: Parsed, *passages: str) -> Sequence[Mark]:
    return [mark_at(parsed.marks, parsed.text.index(passage)) for passage in passages]


@ALL
def test_every_format_says_the_same_words_in_the_same_order(kind: str) -> None:
    assert words(read(kind, FILES[kind]).text) == BEFORE.get(kind, []) + STORY_WORDS


def test_a_message_says_them_between_what_is_around_them() -> None:
    said = words(read("eml", eml.write(STORY)).text)
    first = said.index("Newts") - len(words(STORY.title))
    assert said[first : first + len(STORY_WORDS)] == STORY_WORDS


@ALL
def test_every_format_says_who_wrote_it_and_when(kind: str) -> None:
    parsed = read(kind, FILES[kind])
    assert parsed.title == STORY.title
    assert parsed.properties["author"] == STORY.author
    assert parsed.properties["created"][:10] == STORY.created


@ALL
def test_every_passage_is_in_its_section(kind: str) -> None:
    found = [mark.section for mark in marks(read(kind, FILES[kind]), HOUSING, FEEDING, WINTER)]
    paths = [("Housing",), ("Feeding",), ("Feeding", "Winter")]
    if kind == "pptx":  # slides are not below each other
        assert found == [path[-1:] for path in paths]
    else:
        assert found == [(STORY.title, *path) for path in paths]


@ALL
def test_every_passage_is_on_its_page_or_slide(kind: str) -> None:
    found = [mark.page for mark in marks(read(kind, FILES[kind]), HOUSING, FEEDING, WINTER)]
    assert tuple(found) == PAGES.get(kind, (None, None, None))


@ALL
def test_items_and_rows_stand_on_lines_of_their_own(kind: str) -> None:
    lines = read(kind, FILES[kind]).text.split("\n")
    for element in STORY.elements:
        match element:
            case Items(texts):
                assert {f"- {text}" for text in texts} <= set(lines)
            case Table(header, rows):
                assert {f"| {' | '.join(row)} |" for row in (header, *rows)} <= set(lines)


@pytest.mark.parametrize("kind", ["html", "docx", "epub", "odt", "rtf"])
def test_what_says_what_its_parts_are_is_written_with_their_form(kind: str) -> None:
    text = read(kind, FILES[kind]).text
    assert "# The keeping of newts\n\nNewts are small" in text
    assert "\n\n## Housing\n\n" in text
    assert "\n\n- Rinse the gravel until the water runs clear.\n- Fill the tank" in text
    assert "\n\n> A newt that floats" in text
    assert "\n\n```\nnewtlog add --weight 7.5 \\\n    --animal Olm\n```\n\n" in text
    assert "| Animal | Food | Grams per week |\n| --- | --- | --- |\n| Larva |" in text


@pytest.mark.parametrize("kind", [kind for kind in FILES if kind != "pptx"])  # it has no code
def test_code_keeps_its_lines(kind: str) -> None:
    text = read(kind, FILES[kind]).text
    for element in STORY.elements:
        if isinstance(element, Code):
            assert f"\n{element.text}\n```" in text


@pytest.mark.parametrize("kind", [kind for kind in FILES if kind != "markdown"])
def test_rows_know_the_header_of_their_table(kind: str) -> None:
    parsed = read(kind, FILES[kind])
    (mark,) = marks(parsed, "Bloodworm")
    assert mark.header
    header = parsed.text[mark.header.start : mark.header.end]
    assert header == "| Animal | Food | Grams per week |"


@pytest.mark.parametrize("interleaved", [False, True])
def test_columns_are_read_one_after_the_other(interleaved: bool) -> None:
    file = pdf.write(STORY, columns=2, interleaved=interleaved)
    assert words(read("pdf", file).text) == STORY_WORDS
