"""What a file is. Its content decides where it is definite; else its name, or its media type."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile

from rag.errors import ParseError, Unreadable, UnsupportedFormat
from rag.ingest.formats.charset import SAMPLE, marked
from rag.ingest.formats.claims import CALLED, called, charset, claim, is_code
from rag.ingest.formats.members import beginning, members
from rag.model import Caution

SUPPORTED = (
    "plain text (.txt) and source code, Markdown (.md), web pages (.html), PDF (.pdf), Word"
    " (.docx), PowerPoint (.pptx), Excel (.xlsx), OpenDocument text (.odt), rich text (.rtf),"
    " EPUB (.epub), e-mail (.eml), feeds (.rss, .atom), tables (.csv, .tsv), JSON (.json, .jsonl)"
    " and Jupyter notebooks (.ipynb)"
)


@dataclass(frozen=True, slots=True)
class Detected:
    """What a file is, the charset that its sender claims, and whether it is what it seems."""

    kind: str
    charset: str = ""
    cautions: tuple[Caution, ...] = ()


class _Refused(Exception):
    """A file that no reader is for. The words go on after "is"."""


def detect(name: str, media_type: str, data: bytes) -> Detected:
    """What a file is. Raises UnsupportedFormat; ParseError, where it needs a password."""
    seeming = claim(name, media_type)
    try:
        kind = _by_content(seeming, is_code(name), data)
    except _Refused as refused:
        raise _unsupported(called(name, media_type), str(refused)) from refused
    except Unreadable as reason:
        raise ParseError(f"{called(name, media_type)} {reason}.") from reason
    blank = not data[:SAMPLE].strip()
    cautions = () if blank else _cautions(called(name, media_type), seeming, kind)
    return Detected(kind, charset(media_type), cautions)


def check_claim(name: str, media_type: str) -> None:
    """See before a file is there whether, by its name or media type, it may be read. Raises
    UnsupportedFormat."""
    seeming = claim(name, media_type)
    if seeming and seeming not in CALLED:
        raise _unsupported(called(name, media_type), seeming)


def _unsupported(name: str, what: str) -> UnsupportedFormat:
    return UnsupportedFormat(f"{name} is {what} and cannot be read: only {SUPPORTED} can.")


# Kinds that are also of another: nobody is surprised.
_AKIN = frozenset({("data", "notebook"), ("html", "feed"), ("feed", "html")})


def _cautions(name: str, seeming: str, kind: str) -> tuple[Caution, ...]:
    if seeming in ("", kind) or (seeming, kind) in _AKIN:
        return ()
    told = f"{name} is {CALLED[kind]}, not {CALLED.get(seeming, seeming)}, and was read as such."
    return (Caution("FORMAT_MISMATCH", told),)


def _by_content(seeming: str, code: bool, data: bytes) -> str:
    """The kind. Raises _Refused, Unreadable."""
    head = data[:SAMPLE]
    if not head.strip():
        return "text"  # whatever it should have been: it has no text
    if head.lstrip().startswith(b"%PDF-"):
        return "pdf"
    if data.startswith((b"PK\3\4", b"PK\5\6")):
        return _zipped(seeming, data)
    if data.startswith(_OLE):
        if _LOCKED in data:
            raise Unreadable("needs a password to open")
        raise _Refused("a file of an old Office")
    if head.lstrip().startswith(b"{\\rtf"):
        return "rtf"
    text = head.decode(marked(head) or "latin-1", "replace")
    if not _is_text(head.decode("latin-1")):
        # Some of it may stand before a PDF; a text that only tells of such a file is no PDF.
        if b"%PDF-" in data[:_PDF_WITHIN]:
            return "pdf"
        if what := _magic(data):
            raise _Refused(what)
        if not _is_text(text):
            raise _Refused("neither text nor of a known format")
    kind = "" if code else _of_text(text, data)
    return kind or (seeming if seeming in _BY_CLAIM else "text")


_PDF_WITHIN = 1024
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LOCKED = "EncryptedPackage".encode("utf-16-le")
# They have no sign of their own, or one that may be missing: of text, what is claimed counts.
_BY_CLAIM = frozenset({"markdown", "html", "eml", "feed", "table", "data", "notebook"})

# Of these, the ends of lines and pages, tabs and the sign that shifts charsets are in text.
_CONTROLS = re.compile("[\0-\x07\x0e-\x1a\x1c-\x1f\ufffd]")
_MOST_CONTROLS = 0.02


def _is_text(text: str) -> bool:
    return len(_CONTROLS.findall(text)) <= _MOST_CONTROLS * len(text)


# What begins so and is not text.
_MAGIC = (
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"II*\0", "a picture"),
    (b"MM\0*", "a picture"),
    (b"BM", "a picture"),
    (b"\0\0\1\0", "a picture"),
    (b"8BPS", "a picture"),
    (b"RIFF", "a picture, sound or a film"),
    (b"OggS", "sound"),
    (b"ID3", "sound"),
    (b"\xff\xfb", "sound"),
    (b"fLaC", "sound"),
    (b"\x1aE\xdf\xa3", "a film"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (b"\0asm", "a program"),
    (b"PK", "an archive"),
    (b"\x1f\x8b", "an archive"),
    (b"7z\xbc\xaf", "an archive"),
    (b"Rar!", "an archive"),
    (b"BZh", "an archive"),
    (b"\xfd7zXZ", "an archive"),
    (b"\x28\xb5\x2f\xfd", "an archive"),
    (b"SQLite format", "a database"),
    (b"PAR1", "a database"),
    (b"wOF", "a font"),
    (b"\0\1\0\0", "a font"),
    (b"OTTO", "a font"),
)


def _magic(data: bytes) -> str:
    if data[4:8] == b"ftyp":
        return "a film or a picture"
    if data[257:262] == b"ustar":
        return "an archive"
    return next((what for sign, what in _MAGIC if data.startswith(sign)), "")


_ZIP_KINDS = frozenset({"docx", "pptx", "xlsx", "odt", "epub"})
_OFFICE_PARTS = (("word/", "docx"), ("ppt/", "pptx"), ("xl/workbook.xml", "xlsx"))
_MIMETYPES = (
    (b"application/epub+zip", "epub"),
    (b"application/vnd.oasis.opendocument.text", "odt"),
)


def _zipped(seeming: str, data: bytes) -> str:
    inside = members(data)
    names = {member.name for member in inside}
    if "[Content_Types].xml" in names:
        for part, kind in _OFFICE_PARTS:
            if any(name.startswith(part) for name in names):
                return kind
    mimetype = next((beginning(data, one) for one in inside if one.name == "mimetype"), b"")
    for sign, kind in _MIMETYPES:
        if mimetype.strip() in (sign, sign + b"-template"):
            return kind
    if mimetype.startswith(b"application/vnd.oasis.opendocument."):
        raise _Refused("an OpenDocument file other than text")
    if "META-INF/container.xml" in names:
        return "epub"
    if not inside and seeming in _ZIP_KINDS:
        return seeming  # cut off: its reader says so
    raise _Refused("an archive")


_PROLOG = r"\s*+(?:<\?xml\b[^>]*+>\s*+|(?><!--.*?-->)\s*+)*+"
_WEB_PAGE = re.compile(_PROLOG + r"(?:<!doctype\s++html\b|<html\b)", re.I | re.S)
_FEED = re.compile(_PROLOG + r"<(?:rss|feed|rdf:RDF)\b", re.S)
_DRAWING = re.compile(_PROLOG + r"(?:<!doctype\s++svg\b[^>]*+>\s*+)?(?:<svg\b|%!PS-)", re.I | re.S)
_NOTEBOOK = re.compile(rb'"nbformat"\s*:\s*\d')


def _of_text(text: str, data: bytes) -> str:
    text = text.removeprefix("\ufeff")
    if _WEB_PAGE.match(text):
        return "html"
    if _FEED.match(text):
        return "feed"
    if _DRAWING.match(text):
        raise _Refused("a picture")
    if text.lstrip().startswith("{") and _NOTEBOOK.search(data):
        return "notebook"
    return "eml" if _is_mail(text) else ""


_MAIL_LINE = re.compile(r"[!-9;-~]+:|[ \t]|From ")
# A memo, too, says from whom it is to whom; only what was posted has these.
_POSTED = frozenset({"received", "message-id", "mime-version", "return-path", "delivered-to"})
_WRITTEN = frozenset({"from", "to", "date", "subject"})


def _is_mail(text: str) -> bool:
    lines = list(takewhile(str.strip, text.splitlines()))
    fields = {line.partition(":")[0].lower() for line in lines}
    return all(map(_MAIL_LINE.match, lines)) and bool(fields & _POSTED and fields & _WRITTEN)
