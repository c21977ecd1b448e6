"""What files are made of that are meant to harm whoever reads them."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from io import BytesIO
from zipfile import ZipFile

from tests.writers import docx
from tests.writers.story import STORY
from tests.writers.zipped import zipped

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
# Ten names, each of ten times the one before: a few hundred bytes that are a thousand million.
ENTITIES = '<!DOCTYPE x [<!ENTITY a "newt">{}]>'.format(
    "".join(
        f'<!ENTITY {name} "{f"&{before};" * 10}">'
        for before, name in zip("abcdefghi", "bcdefghij", strict=True)
    )
)


def changed(data: bytes, parts: Mapping[str, str | bytes]) -> bytes:
    """The same zip with other parts, or more of them."""
    with ZipFile(BytesIO(data)) as file:
        told: dict[str, str | bytes] = {name: file.read(name) for name in file.namelist()}
    return zipped({**told, **parts})


def word(body: str, doctype: str = "") -> bytes:
    """A Word document of this body."""
    content = f'{doctype}<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
    return changed(docx.write(STORY), {docx.MAIN: content})


CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
ONE_PAGE = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
PAGE = (
    b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R"
    b"/Resources<</Font<</F1 5 0 R>>/XObject<</X 6 0 R>>>>>>"
)
FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
NEWTS = b"BT /F1 12 Tf 60 60 Td (Newts) Tj ET "


def pdf(*objects: bytes, info: bytes = b"null") -> bytes:
    """A PDF of these objects, numbered from 1, of which the first is its root."""
    file = bytearray(b"%PDF-1.7\n")
    places = b"0000000000 65535 f \n"
    for number, content in enumerate(objects, 1):
        places += b"%010d 00000 n \n" % len(file)
        file += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    size = len(objects) + 1
    table = b"xref\n0 %d\n%b" % (size, places)
    end = b"%btrailer <</Size %d/Root 1 0 R/Info %b>>\n" % (table, size, info)
    return b"%b%bstartxref\n%d\n%%%%EOF" % (file, end, len(file))


def stream(content: bytes, says: bytes = b"") -> bytes:
    """An object with content."""
    return b"<<%b/Length %d>>stream\n%b\nendstream" % (says, len(content), content)


def packed(content: bytes) -> bytes:
    """The same, packed."""
    return stream(zlib.compress(content, 9), b"/Filter/FlateDecode")


def form(inner: int, times: int) -> bytes:
    """Something to draw, which draws another object so often."""
    says = (
        b"/Type/XObject/Subtype/Form/BBox[0 0 600 800]"
        b"/Resources<</XObject<</X %d 0 R>>/Font<</F1 5 0 R>>>>" % inner
    )
    return stream(NEWTS + b"/X Do " * times, says)
