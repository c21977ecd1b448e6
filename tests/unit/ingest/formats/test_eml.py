from __future__ import annotations

import pytest

from rag.errors import Unreadable
from rag.ingest.formats import read
from tests.writers import eml
from tests.writers.story import STORY


def text(message: str | bytes) -> str:
    return read("eml", message.encode() if isinstance(message, str) else message).text


def multipart(kind: str, *parts: str) -> str:
    inside = "".join(f"--x{kind}\n{part}\n" for part in parts)
    return f"Content-Type: multipart/{kind}; boundary=x{kind}\n\n{inside}--x{kind}--\n"


PLAIN = "Content-Type: text/plain\n\nPlain newts"
PAGE = "Content-Type: text/html\n\n<p>Newts <b>on</b> a page<p hidden>x"
EMPTY = "Content-Type: text/plain\n\n \n"
PICTURE = "Content-Type: image/png; name=pond.png\nContent-ID: <1>\n\nx"


def test_a_message_tells_who_wrote_to_whom_and_what() -> None:
    parsed = read("eml", eml.write(STORY))
    assert parsed.text.startswith(
        "From: Ada Brook <author@example.org>\nTo: keepers@example.org\n"
        "Date: Fri, 17 May 2024 09:30:00 +0000\nSubject: The keeping of newts\n\n"
        "The keeping of newts\n\nNewts are small salamanders"
    )
    assert parsed.text.endswith("as do many in Łódź.\n\nAttachments: Zürich.png")
    assert "> A newt that floats is a newt that is ill" in parsed.text
    assert parsed.title == "The keeping of newts"
    assert parsed.properties == {
        "author": "Ada Brook <author@example.org>",
        "created": "2024-05-17T09:30:00+00:00",
        "subject": "The keeping of newts",
    }


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (PLAIN, "Plain newts"),
        (PAGE, "Newts on a page"),
        ("\nNo type at all", "No type at all"),
        (multipart("alternative", PAGE, PLAIN), "Plain newts"),
        (multipart("alternative", EMPTY, PAGE), "Newts on a page"),
        (multipart("alternative", EMPTY, multipart("related", PAGE, PICTURE)), "Newts on a page"),
        (multipart("mixed", PLAIN, PICTURE, PAGE), "Plain newts\n\nNewts on a page"),
    ],
)
def test_the_text_is_found_in_any_structure(body: str, expected: str) -> None:
    assert text(f"Subject: Newts\n{body}") == f"Subject: Newts\n\n{expected}"


def test_a_message_inside_is_read_and_a_file_is_named() -> None:
    inner = "Content-Type: message/rfc822\n\nSubject: Inner\n\nForwarded newts"
    file = 'Content-Type: text/plain\nContent-Disposition: attachment; filename="a\n b.txt"\n\nx'
    nameless = "Content-Type: image/png\nContent-Disposition: attachment\n\nx"
    assert text(f"Subject: Outer\n{multipart('mixed', PLAIN, inner, file, nameless)}") == (
        "Subject: Outer\n\nPlain newts\n\nSubject: Inner\n\nForwarded newts\n\n"
        "Attachments: a b.txt, image/png"
    )


def test_quotes_are_told_apart() -> None:
    assert text("Subject: x\n\nSee:\n\n> One\n> > two\n\n>three\n") == (
        "Subject: x\n\nSee:\n\n> One\n> > two\n\n> three"
    )


def test_lines_that_the_program_broke_are_one() -> None:
    flowed = "Content-Type: text/plain; format=flowed\n\nA newt \nis wet. \n\nYes\nno\n-- \nAda"
    assert text(f"Subject: x\n{flowed}") == "Subject: x\n\nA newt is wet. \n\nYes\nno\n-- \nAda"


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (b"=?utf-8?q?Z=C3=BCrich?= calls", "Zürich calls"),
        ("Zürich ruft".encode(), "Zürich ruft"),
        (b"two\r\n lines", "two lines"),
    ],
)
def test_headers_are_decoded(written: bytes, told: str) -> None:
    assert text(b"Subject: " + written + b"\r\n\r\nx") == f"Subject: {told}\n\nx"


def test_a_body_may_be_of_any_charset() -> None:
    head = b"Subject: x\nContent-Type: text/plain; charset=iso-8859-2\n\n"
    assert text(head + "Łódź".encode("iso-8859-2")) == "Subject: x\n\nŁódź"
    unknown = head.replace(b"iso-8859-2", b"nonsense")
    assert text(unknown + "Łódź".encode()) == "Subject: x\n\nŁódź"


@pytest.mark.parametrize(
    "header", ["From: <<<@@", "To: =?x?y?z?=", "Date: yesterday", 'Cc: "', "From: a@[", "To: ;:,"]
)
def test_a_header_that_makes_no_sense_harms_nothing(header: str) -> None:
    assert text(f"Subject: x\n{header}\n\nNewts").endswith("Newts")


@pytest.mark.parametrize(
    "body",
    [
        multipart("encrypted", "Content-Type: application/octet-stream\n\nx"),
        "Content-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nx",
    ],
)
def test_a_message_that_is_encrypted_says_so(body: str) -> None:
    with pytest.raises(Unreadable, match="is encrypted"):
        text(f"Subject: x\n{body}")


def test_what_is_no_message_says_so() -> None:
    with pytest.raises(Unreadable, match="is not a message of mail"):
        text("Newts: wet\n\nand cold")
