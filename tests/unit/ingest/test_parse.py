from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import ParseError, UnsupportedFormat
from rag.ingest.parse import parse


@pytest.mark.parametrize(
    ("path", "media_type", "data", "title"),
    [
        ("a/Newts.TXT", "", b"# not a heading here", "Newts"),
        ("newts.md", "", b"Before.\n\n# All about newts #\n\n# More", "All about newts"),
        ("newts.md", "", b"No heading", "newts"),
        ("newts.md", "", b"# \n# ##\n## Below\r\n# C#\r\n", "C#"),
        ("newts.md", "", b"#\t  Newts \t ## \t", "Newts"),
        ("newts.md", "", b"#Newts\n # Efts", "newts"),
        ("newts.md", "", b"# " + b"n" * 5000, "n" * 2048),
        ("a/newts", "text/markdown; charset=utf-8", b"# Newts", "Newts"),
        ("newts.pdf.txt", "application/pdf", b"x", "newts.pdf"),
    ],
)
def test_text_and_markdown_have_a_title(
    path: str, media_type: str, data: bytes, title: str
) -> None:
    parsed = parse(path, media_type, data)
    assert (parsed.title, parsed.text) == (title, data.decode())


@pytest.mark.parametrize("piece", [b"# ", b" ", b"#", b"\t", b"# #\n", b"# \n", b"#\n"])
def test_a_heading_without_end_is_read_like_any_other(piece: bytes) -> None:
    """One that took quadratic time would take days for these."""
    assert parse("a.md", "", b"# x" + piece * 1_000_000 + b"x").title.startswith("x")


def test_a_byte_order_mark_is_no_text() -> None:
    assert parse("a.txt", "", b"\xef\xbb\xbfNewts").text == "Newts"


@pytest.mark.parametrize(("path", "media_type"), [("a.pdf", ""), ("a", ""), ("b", "image/png")])
def test_other_formats_are_refused_with_what_can_be_read(path: str, media_type: str) -> None:
    with pytest.raises(UnsupportedFormat, match=r"Markdown \(\.md\)"):
        parse(path, media_type, b"text")


@pytest.mark.parametrize("data", [b"", b" \n\t", b"a\0b", b"\xff\xfe\x00", b"caf\xe9"])
def test_what_is_not_text_is_named(data: bytes) -> None:
    with pytest.raises(ParseError, match=r"a\.txt"):
        parse("x/a.txt", "", data)


@given(st.binary())
def test_any_bytes_are_text_or_refused(data: bytes) -> None:
    with suppress(ParseError):
        assert data.endswith(parse("a.md", "", data).text.encode())
