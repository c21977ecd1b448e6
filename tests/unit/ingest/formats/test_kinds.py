from __future__ import annotations

import struct
from contextlib import suppress
from zipfile import ZIP_DEFLATED, ZIP_STORED

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import ParseError, UnsupportedFormat
from rag.ingest.formats.claims import claim
from rag.ingest.formats.kinds import check_claim, detect
from rag.ingest.formats.members import members
from tests.writers import zipped as archive


def zipped(*names: str, mimetype: str = "", packed: int = ZIP_STORED) -> bytes:
    parts = dict.fromkeys(names, "x" * 300)
    return archive.zipped(({"mimetype": mimetype} if mimetype else {}) | parts, packed)


OPEN_TEXT = "application/vnd.oasis.opendocument.text"
DOCX = zipped("[Content_Types].xml", "word/document.xml", "word/media/old/ppt/x")
LOCKED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")
LETTER = b"Received: by x\nFrom: a@b.c\nSubject: Newts\n\tand efts\n\nHello"

DEFINITE = [
    (b"%PDF-1.7\n...", "pdf"),
    (b"\n\n%PDF-1.4\n", "pdf"),
    (b"\0\1\2 junk\0\0\n%PDF-1.4\n", "pdf"),
    (DOCX, "docx"),
    (zipped("[Content_Types].xml", "ppt/presentation.xml"), "pptx"),
    (zipped("[Content_Types].xml", "xl/workbook.xml", packed=ZIP_DEFLATED), "xlsx"),
    (zipped("content.xml", mimetype=OPEN_TEXT), "odt"),
    (zipped("content.xml", mimetype=OPEN_TEXT + "-template\n", packed=ZIP_DEFLATED), "odt"),
    (zipped("OEBPS/x.opf", mimetype="application/epub+zip"), "epub"),
    (zipped("META-INF/container.xml", "OEBPS/x.opf"), "epub"),
    (b"\r\n{\\rtf1\\ansi Newts}", "rtf"),
    (b"<!DOCTYPE html>\n<title>x", "html"),
    (b"\xef\xbb\xbf<!-- a --> <!-- b --><HTML lang=en>", "html"),
    ("<html><body>Olme".encode("utf-16"), "html"),
    (b"<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC 'x'><html>", "html"),
    (b"<?xml version='1.0'?>\n<rss version='2.0'>", "feed"),
    (b"<feed xmlns='http://www.w3.org/2005/Atom'>", "feed"),
    (b'{\n "cells": [],\n "nbformat": 4}', "notebook"),
    (LETTER, "eml"),
]


@pytest.mark.parametrize(("data", "kind"), DEFINITE)
@pytest.mark.parametrize("name", ["file", "a/b/file.unknown", ""])
def test_definite_content_needs_no_name(name: str, data: bytes, kind: str) -> None:
    detected = detect(name, "binary/octet-stream", data)
    assert (detected.kind, detected.cautions) == (kind, ())


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.txt", "text"),
        ("a.log", "text"),
        ("README", "text"),
        ("a.MD", "markdown"),
        ("a.csv", "table"),
        ("a.tsv", "table"),
        ("a.jsonl", "data"),
        ("a.json", "data"),
        ("a.htm", "html"),
        ("a.eml", "eml"),
        ("a.py", "text"),
    ],
)
def test_of_text_the_name_decides(name: str, kind: str) -> None:
    detected = detect(name, "", b"Newts, efts")
    assert (detected.kind, detected.cautions) == (kind, ())


def test_a_name_counts_more_than_a_media_type() -> None:
    detected = detect("newts.pdf.txt", "application/pdf", b"Newts")
    assert (detected.kind, detected.cautions) == ("text", ())


@pytest.mark.parametrize(
    ("media_type", "kind", "charset"),
    [
        ("text/plain; charset=ISO-8859-1", "text", "ISO-8859-1"),
        ('text/Markdown; x=y; charset = "utf-8"', "markdown", "utf-8"),
        ("text/csv", "table", ""),
        ("application/json", "data", ""),
        ("application/geo+json", "data", ""),
        ("application/octet-stream", "text", ""),
        ("", "text", ""),
    ],
)
def test_without_a_name_the_media_type_decides(media_type: str, kind: str, charset: str) -> None:
    detected = detect("", media_type, b"Newts")
    assert (detected.kind, detected.charset, detected.cautions) == (kind, charset, ())


@pytest.mark.parametrize(
    ("name", "media_type", "data", "message"),
    [
        (
            "x/report.pdf",
            "",
            DOCX,
            "report.pdf is a Word document, not a PDF, and was read as such.",
        ),
        ("a.txt", "", b"<html>", "a.txt is a web page, not plain text, and was read as such."),
        (
            "a.docx",
            "",
            b"Newts",
            "a.docx is plain text, not a Word document, and was read as such.",
        ),
        ("a.png", "", b"Newts", "a.png is plain text, not a picture, and was read as such."),
        ("a.py", "", b"%PDF-1.4", "a.py is a PDF, not plain text, and was read as such."),
        ("a.txt", "", LETTER, "a.txt is an e-mail, not plain text, and was read as such."),
        (
            "",
            "application/pdf",
            b"{\\rtf1 x}",
            "A document of type 'application/pdf' is rich text (RTF), not a PDF, and was read as"
            " such.",
        ),
    ],
)
def test_what_is_not_what_it_seems_is_read_with_a_caution(
    name: str, media_type: str, data: bytes, message: str
) -> None:
    assert detect(name, media_type, data).cautions == (("FORMAT_MISMATCH", message),)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.php", b"<html><?php echo 1 ?>"),
        ("a.vue", b"<!DOCTYPE html>"),
        ("a.txt", b"A PDF begins with\n%PDF-1.7\nand so on."),
        ("a.txt", b"From: Ada\nTo: all\nDate: today\nSubject: newts\n\nA memo."),
        ("a.txt", b"MZ is the code of Mozambique, ID3 is a tree, BM is a map, RIFF a chord."),
        ("a.txt", "Plain words in a wide charset.".encode("utf-16-le")),
        ("a.txt", "漢字".encode("utf-16")),
        ("a.txt", b"\x1b$B:rF|El5~\x1b(B"),
        ("a.txt", b"one stray null \0" + b"in a long line of text " * 5),
        ("a.xml", b"<?xml version='1.0'?><newts/>"),
    ],
)
def test_text_that_seems_something_else_stays_text(name: str, data: bytes) -> None:
    detected = detect(name, "", data)
    assert (detected.kind, detected.cautions) == ("text", ())


@pytest.mark.parametrize("name", ["a.txt", "a.pdf", "a.docx", "a.png", "a.json", ""])
@pytest.mark.parametrize("data", [b"", b" \r\n"])
def test_a_file_of_nothing_is_text_without_text(name: str, data: bytes) -> None:
    detected = detect(name, "", data)
    assert (detected.kind, detected.cautions) == ("text", ())


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a picture"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "a picture"),
        (b"\0\0\0\x18ftypmp42", "a film or a picture"),
        (b"<?xml version='1.0'?><svg xmlns='x'><text>Newts</text></svg>", "a picture"),
        (b"MZ\x90\0\3\0\0", "a program"),
        (b"\x1f\x8b\x08\0\0\0\0\0", "an archive"),
        (zipped("a.txt", "inner.zip"), "an archive"),
        (zipped("a.txt")[:100], "an archive"),
        (zipped(), "an archive"),
        (zipped("content.xml", mimetype=OPEN_TEXT[:-4] + "spreadsheet"), "an OpenDocument file"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", "a file of an old Office"),
        (bytes(range(256)) * 10, "neither text nor of a known format"),
    ],
)
def test_other_files_are_refused_with_what_can_be_read(data: bytes, what: str) -> None:
    with pytest.raises(UnsupportedFormat, match=rf"^x\.dat is {what}.* only .*Markdown \(\.md\)"):
        detect("a/x.dat", "", data)


@pytest.mark.parametrize(
    ("name", "media_type"),
    [("a.png", ""), ("a.zip", "text/plain"), ("a.DOC", ""), ("b", "image/png"), ("", "audio/x")],
)
def test_what_can_never_be_read_is_refused_before_it_is_there(name: str, media_type: str) -> None:
    with pytest.raises(UnsupportedFormat, match=r"Markdown \(\.md\)"):
        check_claim(name, media_type)


@pytest.mark.parametrize(
    ("name", "media_type", "kind"),
    [
        ("a.pdf", "image/png", "pdf"),
        ("a.v2", "text/html", "html"),
        ("a.cpp", "", "text"),
        ("a.what", "", ""),
        ("", "binary/octet-stream", ""),
    ],
)
def test_what_may_be_read_is_told_by_name_or_media_type(
    name: str, media_type: str, kind: str
) -> None:
    assert claim(name, media_type) == kind
    check_claim(name, media_type)


def test_office_files_with_a_password_are_told() -> None:
    with pytest.raises(ParseError, match=r"^a\.xlsx needs a password to open\.$"):
        detect("x/a.xlsx", "", LOCKED)


def test_a_zip_that_is_cut_off_is_left_to_its_reader() -> None:
    assert detect("a.docx", "", DOCX[:200]).kind == "docx"


def test_a_zip_may_have_something_before_and_after_it() -> None:
    moved = DOCX[:30] + DOCX  # the first bytes of a zip, and then one with its places
    assert detect("x", "", moved + b"remark").kind == "docx"


def test_a_zip_with_large_numbers_is_read_by_them() -> None:
    end = DOCX.rindex(b"PK\5\6")
    size, start = struct.unpack_from("<LL", DOCX, end + 12)
    large = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 3, 3, size, start)
    place = struct.pack("<4sLQL", b"PK\6\7", 0, end, 1)
    told = DOCX[end : end + 12] + b"\xff" * 8 + b"\0\0"
    assert detect("x", "", DOCX[:end] + large + place + told).kind == "docx"


def test_of_long_names_in_a_zip_only_the_beginning_is_looked_at() -> None:
    [member] = members(zipped("word/" + "x" * 60_000))
    assert member.name == "word/" + "x" * 95


def test_a_charset_of_any_length_is_not_asked_for() -> None:
    assert len(detect("a.txt", "text/plain; charset=" + "x" * 5000, b"x").charset) < 50


def test_comments_without_end_are_seen_through_at_once() -> None:
    """A pattern that tried each way to part them would take longer than there is."""
    assert detect("a.txt", "", b"<!---->" * 9000 + b"x").kind == "text"


@given(st.sampled_from(DEFINITE), st.integers(0, 500), st.binary(max_size=8))
def test_damaged_files_are_told_or_refused(
    whole: tuple[bytes, str], place: int, damage: bytes
) -> None:
    data = whole[0]
    with suppress(UnsupportedFormat, ParseError):
        detect("a.docx", "", data[:place] + damage + data[place + len(damage) :])
