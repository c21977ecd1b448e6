"""PDF: what stands where by PDFium, and what that means by `layout`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from ctypes import c_ushort
from datetime import date, datetime
from io import BytesIO
from itertools import islice

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from rag.errors import Unreadable
from rag.ingest.formats import layout
from rag.ingest.formats.block import Reading
from rag.ingest.formats.layout.line import Bookmark, Page
from rag.ingest.formats.pdf_page import directions
from rag.model import Caution

UNKNOWN_ENCRYPTION = "is encrypted in a way that cannot be read"

# Files may claim to have millions of pages.
MOST_DAMAGED = 1000
MOST_BOOKMARKS, DEEPEST_BOOKMARK = 5000, 8

_PROPERTIES = {"author": "Author", "subject": "Subject", "keywords": "Keywords"}
_DATES = {"created": "CreationDate", "modified": "ModDate"}
_DATE = re.compile(r"(?:D:)?(?P<day>\d{8})(?P<time>\d{6})?(?P<zone>Z|[+-]\d{4})?(?:0000)?")
# What programs write there by themselves.
_NO_TITLE = re.compile(
    r"about:blank|untitled|.*\.(?:docx?|dvi|indd|jpe?g|odt|pdf|png|pptx?|qxd|rtf|tex|tiff?|xlsx?)",
    re.I,
)
_PROGRAM = re.compile(r"Microsoft (?:Word|PowerPoint|Excel) - ")


def read(data: bytes, charset: str) -> Reading:  # noqa: ARG001
    """The text of a PDF: its pages, its outline, what was filled into its form."""
    with _opened(data) as document:
        document.init_forms()
        pages = _Pages(document)
        if not any(page.lines for page in pages.read):
            raise Unreadable(pages.why_empty)
        return Reading(
            layout.blocks(pages.read, list(_bookmarks(document, pages.read))),
            _title(_said(document.get_metadata_value, "Title")),
            dict(_properties(document)),
            pages.cautions,
        )


def _opened(data: bytes) -> pdfium.PdfDocument:
    try:
        return pdfium.PdfDocument(data)
    except pdfium.PdfiumError as refused:
        if refused.err_code == raw.FPDF_ERR_SECURITY:
            raise Unreadable(UNKNOWN_ENCRYPTION) from refused
        if refused.err_code != raw.FPDF_ERR_PASSWORD:
            raise Unreadable("is damaged, or no PDF") from refused
    return pdfium.PdfDocument(_unlocked(data))


def _unlocked(data: bytes) -> bytes:
    """The same without encryption, if the owner's password is empty: PDFium tries the user's."""
    # Imported for such files only: it takes longer than all else.
    from pypdf import PdfReader, PdfWriter
    from pypdf.errors import PyPdfError

    unlocked = BytesIO()
    try:
        reader = PdfReader(BytesIO(data))
        if not reader.decrypt(""):
            raise Unreadable("needs a password to open")
        PdfWriter(clone_from=reader).write(unlocked)
    except (PyPdfError, NotImplementedError) as failed:
        raise Unreadable(UNKNOWN_ENCRYPTION) from failed
    return unlocked.getvalue()


class _Pages:
    """All pages that can be read, and how many cannot."""

    def __init__(self, document: pdfium.PdfDocument) -> None:
        self.read: list[Page] = []
        self._all = len(document)
        self._damaged = self._pictures = 0
        for number in range(self._all):
            self._add(document, number)

    @property
    def why_empty(self) -> str:
        """What to say if there is no text at all."""
        if self._pictures:
            return "has no text: it seems to be scanned, and pictures of text are not read"
        return "has only damaged pages" if self._damaged else "has no text"

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What is missing."""
        counts = {"damaged": self._damaged, "scanned, or a picture without text": self._pictures}
        return tuple(
            Caution("PARTLY_READ", f"{count} of {self._all} pages could not be read: {why}.")
            for why, count in counts.items()
            if count
        )

    def _add(self, document: pdfium.PdfDocument, index: int) -> None:
        try:
            page = _flat(document, index)
            found = directions(index + 1, page)
        except pdfium.PdfiumError:
            self._damaged += 1
            if self._damaged > MOST_DAMAGED:
                raise Unreadable("is damaged") from None
            return
        self.read += found
        if not found and any(page.get_objects([raw.FPDF_PAGEOBJ_IMAGE])):
            self._pictures += 1
        page.close()


def _flat(document: pdfium.PdfDocument, index: int) -> pdfium.PdfPage:
    """A page of which what was filled into its form is a part."""
    page = document[index]
    if not document.formenv:
        return page
    raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY)
    page.close()  # its text is that of the page as it was opened
    return document[index]


def _bookmarks(document: pdfium.PdfDocument, pages: Sequence[Page]) -> Iterator[Bookmark]:
    turned = {page.number for page in pages if page.is_main and page.turns}
    for entry in islice(document.get_toc(max_depth=DEEPEST_BOOKMARK), MOST_BOOKMARKS):
        target = entry.get_dest()
        index = target.get_index() if target else None
        title = " ".join(_said(entry.get_title).split())
        if index is not None and title:
            number = index + 1
            height = None if number in turned else _height(target)
            yield Bookmark(title, entry.level + 1, number, height)


def _height(target: pdfium.PdfDest) -> float | None:
    mode, view = target.get_view()
    match mode, view:
        case raw.PDFDEST_VIEW_XYZ, [_, top, *_]:
            return top or None
        case ((raw.PDFDEST_VIEW_FITH | raw.PDFDEST_VIEW_FITBH), [top, *_]):
            return top or None
    return None


def _title(title: str) -> str:
    title = _PROGRAM.sub("", " ".join(title.split()))
    return "" if _NO_TITLE.fullmatch(title) else title


def _properties(document: pdfium.PdfDocument) -> Iterator[tuple[str, str]]:
    for name, key in _PROPERTIES.items():
        yield name, _said(document.get_metadata_value, key)
    for name, key in _DATES.items():
        yield name, _date(_said(document.get_metadata_value, key))
    yield "language", _language(document)


def _said(ask: Callable[..., str], *about: str) -> str:
    """What the file answers, or nothing where that is damaged: its pages may be sound."""
    try:
        return ask(*about)
    except UnicodeDecodeError:
        return ""


def _date(written: str) -> str:
    """As ISO; as it is where it cannot be understood."""
    found = _DATE.fullmatch(written.strip("\0 ").replace("'", ""))
    if not found:
        return written
    with suppress(ValueError):
        if not found["time"]:
            return date.fromisoformat(found["day"]).isoformat()
        moment = f"{found['day']}T{found['time']}{found['zone'] or ''}"
        return datetime.fromisoformat(moment).isoformat()
    return written


def _language(document: pdfium.PdfDocument) -> str:
    length = raw.FPDFCatalog_GetLanguage(document, None, 0)
    buffer = (c_ushort * (length // 2))()
    raw.FPDFCatalog_GetLanguage(document, buffer, length)
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0")
