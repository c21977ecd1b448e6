from __future__ import annotations

from io import BytesIO

import pytest
from pypdf import PdfReader, PdfWriter

from rag.errors import Unreadable
from rag.ingest import formats
from rag.model import Caution, Parsed
from tests.writers import pdf
from tests.writers.pdf_file import Text, document, drawn
from tests.writers.story import STORY

PICTURE = b"q 500 0 0 300 50 50 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \x7f EI Q\n"
WORDS = drawn([Text(60, 300, "Some words.")])


def read(data: bytes) -> Parsed:
    return formats.read("pdf", data)


def text(*texts: Text) -> str:
    return read(document([drawn(texts)])).text


class Blank(str):
    """A password that is empty, but given."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return True


def locked(user: str, owner: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(document([WORDS]))))
    writer.encrypt(user, owner, algorithm="AES-256")
    written = BytesIO()
    writer.write(written)
    return written.getvalue()


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("interleaved", [False, True])
def test_a_story_is_read_in_its_order(columns: int, interleaved: bool) -> None:
    parsed = read(pdf.write(STORY, columns=columns, interleaved=interleaved))
    assert parsed.text == (
        "# The keeping of newts\n\n"
        "Newts are small salamanders that spend the spring in water and the rest of the year on"
        " land. This guide tells how to house and feed them.\n\n"
        "## Housing\n\n"
        "An adult pair needs a tank of eighty litres with plants, a flat stone to climb on and a"
        " tight lid. The water stays below twenty degrees all summer.\n\n"
        "- Rinse the gravel until the water runs clear.\n"
        "- Fill the tank with rain water that has stood for two days.\n"
        "- Let the plants root for three weeks before any animal moves in.\n\n"
        "## Feeding\n\n"
        "Feed live food every second day, and only as much as is eaten within ten minutes."
        " Leftovers spoil the water faster than anything else.\n\n"
        "| Animal | Food | Grams per week |\n| --- | --- | --- |\n"
        "| Larva | Daphnia | 2 |\n| Juvenile | Bloodworm | 5 |\n| Adult | Earthworm | 9 |\n\n"
        "### Winter\n\n"
        "From November on the animals rest in a cool cellar at six degrees and are not fed at all"
        " until they wake in March.\n\n"
        "A newt that floats is a newt that is ill, and it wants shallow water at once.\n\n"
        "## Records\n\n"
        "Weigh every animal once a month and note it with this command.\n\n"
        "```\nnewtlog add --weight 7.5 \\\n    --animal Olm\n```\n\n"
        "Café owners in Zürich keep them too, as do many in Łódź."
    )


@pytest.mark.parametrize("columns", [1, 2])
def test_every_passage_knows_its_page_and_section(columns: int) -> None:
    parsed = read(pdf.write(STORY, columns=columns))
    marks = {
        words: next(mark for mark in reversed(parsed.marks) if mark.start <= place)
        for words in ("flat stone", "Daphnia", "cool cellar", "Zürich")
        for place in [parsed.text.index(words)]
    }
    top = "The keeping of newts"
    assert {words: mark.section for words, mark in marks.items()} == {
        "flat stone": (top, "Housing"),
        "Daphnia": (top, "Feeding"),
        "cool cellar": (top, "Feeding", "Winter"),
        "Zürich": (top, "Records"),
    }
    assert [mark.page for mark in marks.values()] == (
        [1, 1, 2, 2] if columns == 1 else [1, 1, 1, 2]
    )
    header = marks["Daphnia"].header
    assert header
    assert parsed.text[header.start : header.end] == "| Animal | Food | Grams per week |"


def test_a_file_says_what_it_is() -> None:
    parsed = read(pdf.write(STORY))
    assert parsed.title == "The keeping of newts"
    assert parsed.properties == {"author": "Ada Brook", "created": "2024-05-17", "language": "en"}


@pytest.mark.parametrize(
    "title", ["untitled", "about:blank", "report-final.docx", "Microsoft Word - a.doc"]
)
def test_a_title_that_a_program_made_up_is_none(title: str) -> None:
    assert read(document([WORDS], info={"Title": title})).title == ""


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("D:20240517093000+02'00'", "2024-05-17T09:30:00+02:00"),
        ("D:20240517093000Z00'00'", "2024-05-17T09:30:00+00:00"),
        ("20240517093000", "2024-05-17T09:30:00"),
        ("D:20241399", "D:20241399"),
        ("last May", "last May"),
    ],
)
def test_dates_are_written_as_everywhere(written: str, date: str) -> None:
    assert read(document([WORDS], info={"ModDate": written})).properties["modified"] == date


def test_without_an_outline_large_letters_are_headings() -> None:
    parsed = read(
        document(
            [
                drawn(
                    [
                        Text(60, 360, "On newts", 20),
                        Text(60, 330, "They are small and live in ponds and ditches."),
                        Text(60, 300, "Their food", 14),
                        Text(60, 280, "They eat worms, and whatever else is small."),
                    ]
                )
            ]
        )
    )
    assert [mark.section for mark in parsed.marks] == [("On newts",), ("On newts", "Their food")]


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_a_turned_page_is_read_as_if_it_were_not(turns: int) -> None:
    lines = "A table that is too wide", "stands on its side, and", "is read all the same."
    places = {1: (100, 50, 14, 0), 2: (500, 50, 0, 14), 3: (300, 400, -14, 0)}
    x, y, right, up = places[turns]
    assert text(
        *(Text(x + n * right, y + n * up, line, turns=turns) for n, line in enumerate(lines))
    ) == " ".join(lines)


def test_words_on_the_side_do_not_come_between_the_lines() -> None:
    lines = [Text(60, 300 - 14 * n, f"Line {n} of a long paragraph of the page") for n in range(6)]
    side = Text(30, 240, "printed on its side", turns=1)
    assert text(*lines[:3], side, *lines[3:]) == (
        "printed on its side\n\n" + " ".join(line.text for line in lines)
    )


def test_letters_beyond_the_basic_plane_do_not_shift_the_others() -> None:
    first, second = (
        Text(60, 300, "A 😀 and a 😀 make two, all in all,"),
        Text(60, 286, "of 日本 x."),
    )
    assert text(first, second) == "A 😀 and a 😀 make two, all in all, of 日本 x."


def test_what_is_beyond_the_page_is_not_read() -> None:
    assert text(Text(60, 300, "Seen."), Text(60, 900, "Too high."), Text(-300, 200, "Gone.")) == (
        "Seen."
    )


def test_what_was_filled_into_a_form_is_read() -> None:
    parsed = read(document([WORDS], fields={"name": "Ada Brook", "town": "Bath"}))
    assert "Ada Brook" in parsed.text
    assert "Bath" in parsed.text


def test_a_scanned_file_says_so() -> None:
    with pytest.raises(Unreadable, match="seems to be scanned, and pictures of text are not read"):
        read(document([PICTURE, PICTURE]))


def test_an_empty_file_is_not_called_scanned() -> None:
    with pytest.raises(Unreadable, match=r"^has no text$"):
        read(document([b""]))


def test_a_scanned_page_among_others_is_told_of() -> None:
    message = "1 of 3 pages could not be read: scanned, or a picture without text."
    assert read(document([WORDS, PICTURE, b""])).cautions == (Caution("PARTLY_READ", message),)


def test_a_damaged_page_is_left_out_and_told_of() -> None:
    data = document([WORDS, WORDS]).replace(b"/Count 2", b"/Count 3")
    parsed = read(data)
    assert parsed.text == "Some words.\n\nSome words."
    assert parsed.cautions == (Caution("PARTLY_READ", "1 of 3 pages could not be read: damaged."),)


@pytest.mark.parametrize(("user", "owner"), [("", ""), ("", "secret"), ("secret", Blank())])
def test_a_locked_file_that_opens_without_a_password_is_read(user: str, owner: str) -> None:
    assert read(locked(user, owner)).text == "Some words."


def test_a_file_that_needs_a_password_says_so() -> None:
    with pytest.raises(Unreadable, match=r"^needs a password to open$"):
        read(locked("secret", "other"))


def test_a_file_that_is_locked_otherwise_than_by_a_password_says_so() -> None:
    with pytest.raises(Unreadable, match=r"^is encrypted in a way that cannot be read$"):
        read(locked("secret", "other").replace(b"/Filter /Standard", b"/Filter /Unheard1"))


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7\n", b"no PDF at all"])
def test_what_is_no_pdf_says_so(data: bytes) -> None:
    with pytest.raises(Unreadable, match="is damaged, or no PDF"):
        read(data)
