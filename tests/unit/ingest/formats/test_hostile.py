"""Whatever a file is made for: it ends soon, in a text or in a reason that a person understands."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from io import BytesIO
from zipfile import ZipFile

import pytest

from rag.adapters.confined.limits import Limits
from rag.adapters.confined.reader import ConfinedReader
from rag.errors import Unreadable, UnsupportedFormat
from rag.ingest.formats.kinds import detect
from tests.hostile import (
    CATALOG,
    ENTITIES,
    FONT,
    NEWTS,
    ONE_PAGE,
    PAGE,
    changed,
    form,
    packed,
    pdf,
    stream,
    word,
)
from tests.writers import docx, epub, odt, xlsx
from tests.writers.story import STORY
from tests.writers.zipped import zipped

# A worker gives twice as much, and more than twice the time.
LIMITS = Limits(memory=256 * 2**20, cpu=25, answer=16 * 2**20)
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
MUCH = "needs more memory than reading may take"


def sheet(rows: str) -> bytes:
    told = f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>'
    return changed(xlsx.write(STORY), {"xl/worksheets/sheet1.xml": told})


def strings(text: str, doctype: str = "") -> str:
    return f'{doctype}<sst xmlns="{MAIN}"><si><t>{text}</t></si></sst>'


def book(change: Callable[[str], str]) -> bytes:
    """A book whose list of chapters is another."""
    data = epub.write(STORY)
    with ZipFile(BytesIO(data)) as file:
        [name] = [name for name in file.namelist() if name.endswith(".opf")]
        return changed(data, {name: change(file.read(name).decode())})


def chapters(times: int) -> bytes:
    """A book with the same chapter so often."""
    return book(lambda told: re.sub(r"(<itemref[^>]*>)", r"\1" * times, told, count=1))


def nested_mail(depth: int) -> bytes:
    parts = (
        f"Content-Type: multipart/mixed; boundary=b{number}\n\n--b{number}\n"
        for number in range(depth)
    )
    return f"From: a\nSubject: s\n{''.join(parts)}x".encode()


UNREADABLE: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "a zip that unpacks to more than there is": (
        "docx",
        lambda: word(f"<!--{'A' * 10_000}-->" * 26_000),
        "unpacks to more than 256 MB",
    ),
    "a zip of many parts": (
        "docx",
        lambda: changed(docx.write(STORY), {f"x{number}": "" for number in range(20_001)}),
        "has more than 20000 parts inside",
    ),
    "entities in Word": (
        "docx",
        lambda: word("<w:p><w:r><w:t>&j;</w:t></w:r></w:p>", ENTITIES),
        "declares entities in XML",
    ),
    "entities in Excel": (
        "xlsx",
        lambda: changed(xlsx.write(STORY), {"xl/sharedStrings.xml": strings("&j;", ENTITIES)}),
        "declares entities in XML",
    ),
    "entities in OpenDocument": (
        "odt",
        lambda: changed(odt.write(STORY), {"content.xml": f"{ENTITIES}<x>&j;</x>"}),
        "declares entities in XML",
    ),
    "entities in a book": (
        "epub",
        lambda: book(lambda told: re.sub(r"<package", ENTITIES + "<package", told)),
        "declares entities in XML",
    ),
    "entities in a feed": (
        "feed",
        lambda: f"{ENTITIES}<rss><channel><title>&j;</title></channel></rss>".encode(),
        "declares entities in XML",
    ),
    "a file of this computer as an entity": (
        "docx",
        lambda: word(
            "<w:p><w:r><w:t>&x;</w:t></w:r></w:p>",
            '<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        ),
        "declares entities in XML",
    ),
    "tables in tables": (
        "docx",
        lambda: word("<w:tbl><w:tr><w:tc>" * 100_000 + "</w:tc></w:tr></w:tbl>" * 100_000),
        "is nested too deeply",
    ),
    "a long text in many cells": (
        "xlsx",
        lambda: changed(
            sheet('<row><c t="s"><v>0</v></c><c t="s"><v>0</v></c></row>' * 1000),
            {"xl/sharedStrings.xml": strings("x" * 1_000_000)},
        ),
        "has more text than is taken at once",
    ),
    "elements in elements": (
        "html",
        lambda: b"<html>" + b"<div>" * 1_000_000 + b"text",
        "is nested too deeply",
    ),
    "lists in lists": ("data", lambda: b"[" * 1_000_000, "is nested too deeply"),
    "groups in groups": (
        "rtf",
        lambda: b"{\\rtf1 " + b"{\\b " * 1_000_000 + b"x",
        "is nested too deeply",
    ),
    "mail in mail": ("eml", lambda: nested_mail(3000), "is nested too deeply"),
    "a long name over many values": (
        "data",
        lambda: json.dumps({"n" * 10_000: dict.fromkeys(range(40_000), 1)}).encode(),
        "has more text than is taken at once",
    ),
    "a long line": ("table", lambda: b"\xc5\x81" * 20_000_000, MUCH),
    "a page that unpacks to more than there is": (
        "pdf",
        lambda: pdf(CATALOG, ONE_PAGE, PAGE, packed(NEWTS * 5_000_000), FONT),
        MUCH,
    ),
    "pages that are their own": (
        "pdf",
        lambda: pdf(CATALOG, b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 100000>>"),
        "is damaged",
    ),
    "a drawing that draws itself": (
        "pdf",
        lambda: pdf(CATALOG, ONE_PAGE, PAGE, stream(b"/X Do"), FONT, form(6, 4)),
        MUCH,
    ),
    "drawings of drawings of drawings": (
        "pdf",
        lambda: pdf(
            CATALOG, ONE_PAGE, PAGE, stream(b"/X Do"), FONT, *(form(n, 8) for n in range(7, 19))
        ),
        MUCH,
    ),
    "half of a document": ("docx", lambda: docx.write(STORY)[:1500], "is damaged"),
    "half of a PDF": (
        "pdf",
        lambda: pdf(CATALOG, ONE_PAGE, PAGE, stream(NEWTS), FONT)[:150],
        "is damaged",
    ),
}

HARMLESS: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "a definition elsewhere in the network": (
        "docx",
        lambda: word(
            "<w:p><w:r><w:t>Newts</w:t></w:r></w:p>",
            '<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd">',
        ),
        "Newts",
    ),
    "macros, archives in the archive, and names that lead elsewhere": (
        "docx",
        lambda: changed(
            docx.write(STORY),
            {
                "word/vbaProject.bin": b"\xd0\xcf\x11\xe0" * 100,
                "word/embeddings/inner.zip": docx.write(STORY),
                "../../etc/passwd": "x",
                "/etc/passwd": "x",
            },
        ),
        "# The keeping of newts",
    ),
    "cells over thousands of millions of columns": (
        "docx",
        lambda: word(
            '<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="999999999"/></w:tcPr>'
            "<w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p>"
            "</w:tc></w:tr></w:tbl>"
        ),
        "| a |",
    ),
    "a cell in the last corner": (
        "xlsx",
        lambda: sheet('<row r="1048576"><c r="XFD1048576" t="str"><v>far</v></c></row>'),
        "## The keeping of newts\n\nfar",
    ),
    "spaces, columns and rows said to be repeated": (
        "odt",
        lambda: odt.package(
            '<text:p>a<text:s text:c="999999999"/>b</text:p><table:table>'
            '<table:table-row table:number-rows-repeated="999999999"><table:table-cell'
            ' table:number-columns-repeated="999999999"><text:p>c</text:p></table:table-cell>'
            "</table:table-row></table:table>"
        ),
        "a b",
    ),
    "the same chapter again and again": ("epub", lambda: chapters(10_000), "Authors: Ada Brook"),
    "cells over thousands of millions of rows": (
        "html",
        lambda: b"<html><table>" + b"<td colspan=999999999 rowspan=999999999>x" * 1000,
        "x",
    ),
    "a million columns": (
        "table",
        lambda: b",".join(b"c%d" % number for number in range(1_000_000)),
        "| c0 | c1 |",
    ),
    "a quote that never ends": ("table", lambda: b'a,b\n"' + b"x,\n" * 300_000, "| a | b |"),
    "a number of a million digits": ("data", lambda: b"9" * 1_000_000, "999"),
    "a line that is all there is": ("text", lambda: b"x" * 20_000_000, "xxx"),
    "nothing but headings": ("markdown", lambda: b"# a\n" * 1_000_000, "# a\n# a"),
    "a word that never ends": ("rtf", lambda: b"{\\rtf1 \\" + b"a" * 9_000_000 + b" x}", "x"),
    "headers that never end": (
        "eml",
        lambda: b"From: a\nSubject: " + b"=?utf-8?q?x?= " * 100_000 + b"\n\nNewts",
        "From: a\nSubject: xxx",
    ),
    "a heading of the millionth level": (
        "notebook",
        lambda: b'{"cells":[{"cell_type":"heading","level":9999999999,"source":"x"}]}',
        "###### x",
    ),
    "thousands of pages": (
        "pdf",
        lambda: pdf(
            CATALOG,
            b"<</Type/Pages/Kids[%b]/Count 2000>>" % (b"3 0 R " * 2000),
            PAGE,
            stream(NEWTS),
            FONT,
        ),
        "Newts",
    ),
    "an outline that leads to itself": (
        "pdf",
        lambda: pdf(
            b"<</Type/Catalog/Pages 2 0 R/Outlines 6 0 R>>",
            ONE_PAGE,
            PAGE,
            stream(NEWTS),
            FONT,
            b"<</First 7 0 R/Last 7 0 R>>",
            b"<</Title(x)/Next 7 0 R/First 7 0 R/Dest[3 0 R/Fit]>>",
        ),
        "Newts",
    ),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_has_a_reason(name: str) -> None:
    kind, made, reason = UNREADABLE[name]
    data = made()
    assert detect(f"x.{kind}", "", data).kind in (kind, "text")
    with pytest.raises(Unreadable, match=reason):
        ConfinedReader(LIMITS).read(kind, "", data)


@pytest.mark.parametrize("name", HARMLESS)
def test_what_can_be_read_all_the_same_is_read(name: str) -> None:
    kind, made, text = HARMLESS[name]
    assert (
        ConfinedReader(LIMITS._replace(answer=64 * 2**20))
        .read(kind, "", made())
        .text.startswith(text)
    )


def test_an_archive_of_archives_is_refused() -> None:
    inner = zipped({"a.txt": "Newts"})
    for number in range(5):
        inner = zipped({f"{number}.zip": inner})
    with pytest.raises(UnsupportedFormat, match="is an archive and cannot be read"):
        detect("a.zip", "", inner)
