"""Files into text: what they are called, what is told of them, and what is said where it fails."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.adapters.direct import DirectReader
from rag.errors import ParseError, Unreadable, UnsupportedFormat
from rag.ingest.parse import Parser
from rag.model import Caution, Mark, Parsed

parse = Parser(DirectReader()).parse


@pytest.mark.parametrize(
    ("path", "media_type", "data", "title"),
    [
        ("a/Newts.TXT", "", b"# not a heading here", "Newts"),
        ("newts.md", "", b"Before.\n\n# All about newts #\n\n# More", "All about newts"),
        ("newts.md", "", b"No heading", "newts"),
        ("newts.md", "", b"# \n# ##\n## Below\n# C#\n", "C#"),
        ("newts.md", "", b"#\t  Newts \t ## \t", "Newts"),
        ("newts.md", "", b"#Newts\n # Efts", "newts"),
        ("newts.md", "", b"# " + b"n" * 5000, "n" * 2048),
        ("a/newts", "text/markdown; charset=utf-8", b"# Newts", "Newts"),
        ("newts.pdf.txt", "application/pdf", b"x", "newts.pdf"),
        ("", "text/plain", b"x", ""),
        ("a/all\n\x1b[2Jnew\x9bts.txt", "", b"x", "all [2Jnewts"),
    ],
)
def test_a_file_is_called_what_it_says_or_else_what_its_name_does(
    path: str, media_type: str, data: bytes, title: str
) -> None:
    parsed = parse(path, media_type, data)
    assert (parsed.title, parsed.text) == (title, data.decode())
    assert parsed.cautions == ()


@pytest.mark.parametrize("piece", [b"# ", b" ", b"#", b"\t", b"# #\n", b"# \n", b"#\n"])
def test_a_heading_without_end_is_read_like_any_other(piece: bytes) -> None:
    """One that took quadratic time would take days for these."""
    assert parse("a.md", "", b"# x" + piece * 1_000_000 + b"x").title.startswith("x")


@pytest.mark.parametrize(
    ("path", "media_type", "data"),
    [
        ("a.pdf", "", b"\x89PNG\r\n\x1a\n\0\0"),
        ("a", "", b"\x7fELF\0\0\1"),
        ("b.zip", "", b"PK\3\4"),
    ],
)
def test_other_formats_are_refused_with_what_can_be_read(
    path: str, media_type: str, data: bytes
) -> None:
    with pytest.raises(UnsupportedFormat, match=rf"^{path} is a.*Markdown \(\.md\)"):
        parse(path, media_type, data)


class Stub:
    """A reader that says what it is told to."""

    def __init__(self, parsed: Parsed | None = None, why: str = "") -> None:
        self.parsed, self.why = parsed, why
        self.asked: list[tuple[str, str]] = []

    def read(self, kind: str, charset: str, data: bytes) -> Parsed:
        self.asked.append((kind, charset))
        if self.parsed is None:
            raise Unreadable(self.why)
        return self.parsed


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("../../etc/passwd.pdf", "passwd.pdf"),
        ("all\nis\x1b[31m well.pdf", "allis[31m well.pdf"),
        ("\u202efdp.exe\u2069.pdf", "fdp.exe.pdf"),
        ("x" * 300, "x" * 99 + "…"),
        ("\n", "A document of type 'application/pdf'"),
    ],
)
def test_a_name_cannot_change_what_is_said_of_its_file(name: str, called: str) -> None:
    with pytest.raises(ParseError) as refused:
        Parser(Stub(why="is damaged")).parse(name, "application/pdf", b"%PDF-1.7")
    assert refused.value.message == f"{called} is damaged."


def test_a_file_that_cannot_be_read_is_named_with_the_reason() -> None:
    parser = Parser(Stub(why="needs a password to open"))
    with pytest.raises(ParseError, match=r"^report\.pdf needs a password to open\.$"):
        parser.parse("a/b/report.pdf", "", b"%PDF-1.7")
    with pytest.raises(ParseError, match=r"^A document of type 'text/csv; x' needs a"):
        parser.parse("", "text/csv; x", b"a,b")


@pytest.mark.parametrize("data", [b"", b" \n\t"])
def test_an_empty_file_has_no_text(data: bytes) -> None:
    with pytest.raises(ParseError, match=r"^a\.txt has no text\.$"):
        parse("x/a.txt", "", data)


def test_what_a_file_is_not_comes_before_what_could_not_be_read_of_it() -> None:
    damaged = Caution("PARTLY_READ", "Two pages are damaged.")
    reader = Stub(Parsed("Newts.", "Own", (Mark(0, 1),), {"author": "Ann"}, (damaged,)))
    parsed = Parser(reader).parse("a.docx", "text/plain; charset=koi8-r", b"%PDF-1.7")
    assert reader.asked == [("pdf", "koi8-r")]
    assert [one.code for one in parsed.cautions] == ["FORMAT_MISMATCH", "PARTLY_READ"]
    assert parsed.cautions[0].message.startswith("a.docx is a PDF, not a Word document")
    assert (parsed.title, parsed.marks, parsed.properties) == (
        "Own",
        (Mark(0, 1),),
        {"author": "Ann"},
    )


@given(st.binary())
def test_any_bytes_are_text_or_refused(data: bytes) -> None:
    with suppress(ParseError, UnsupportedFormat):
        assert parse("a.md", "", data).text.strip()
