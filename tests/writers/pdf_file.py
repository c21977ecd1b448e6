"""The objects that a PDF is made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import cos, pi, sin

WIDTH, HEIGHT = 612, 420
REGULAR, FIXED = "F1", "F2"

# Letters of the tests that Windows' Latin has not: at codes that it leaves to controls.
LETTERS = {letter: code for code, letter in enumerate("ŁłźżĐđ日本עבר😀", 1)}


@dataclass(frozen=True)
class Text:
    """A piece of a line, and where it begins."""

    x: float
    y: float
    text: str
    size: float = 10
    font: str = REGULAR
    turns: int = 0  # quarters against the clock

    def drawn(self) -> bytes:
        """As operators of a page's content."""
        across, up = round(cos(self.turns * pi / 2)), round(sin(self.turns * pi / 2))
        place = f"{across} {up} {-up} {across} {self.x} {self.y}"
        shown = _encoded(self.text).hex()
        return f"BT /{self.font} {self.size} Tf {place} Tm <{shown}> Tj ET\n".encode()


@dataclass
class Entry:
    """A line of the outline."""

    title: str
    page: int  # from 0
    y: float
    kids: list[Entry] = field(default_factory=list)


def drawn(texts: Iterable[Text]) -> bytes:
    """The content of a page."""
    return b"".join(text.drawn() for text in texts)


def document(
    pages: Sequence[bytes],
    *,
    outline: Sequence[Entry] = (),
    info: Mapping[str, str] | None = None,
    fields: Mapping[str, str] | None = None,
) -> bytes:
    """A file of these contents; `fields` of a form are on its first page, and have no looks."""
    file = _File()
    catalog, tree, outlines = file.reserve(), file.reserve(), file.reserve()
    regular, fixed = _font(file, "Helvetica"), _font(file, "Courier")
    resources = f"<< /Font << /{REGULAR} {regular} /{FIXED} {fixed} >> >>"
    form = [
        file.add(
            f"<< /Type /Annot /Subtype /Widget /FT /Tx /T ({name}) /V ({value}) /F 4"
            f" /Rect [60 {100 + 20 * number} 500 {118 + 20 * number}] /DA (/{REGULAR} 10 Tf) >>"
        )
        for number, (name, value) in enumerate((fields or {}).items())
    ]
    leaves = []
    for content in pages:
        stream = file.add(f"<< /Length {len(content)} >>", content)
        leaves.append(
            file.add(
                f"<< /Type /Page /Parent {tree} /MediaBox [0 0 {WIDTH} {HEIGHT}]"
                f" /Resources {resources} /Contents {stream}"
                f" /Annots [{'' if leaves else ' '.join(form)}] >>"
            )
        )
    file.put(tree, f"<< /Type /Pages /Kids [{' '.join(leaves)}] /Count {len(leaves)} >>")
    file.put(outlines, f"<< /Type /Outlines {_put_outline(file, outlines, outline, leaves)} >>")
    filled = f"/AcroForm << /Fields [{' '.join(form)}] /NeedAppearances true /DR {resources} >>"
    file.put(
        catalog,
        f"<< /Type /Catalog /Pages {tree} /Outlines {outlines} /Lang (en)"
        f" {filled if form else ''} >>",
    )
    about = " ".join(f"/{key} {_string(value)}" for key, value in (info or {}).items())
    return file.finished(catalog, file.add(f"<< {about} >>"))


class _File:
    """Objects, each with a number by which others refer to it."""

    def __init__(self) -> None:
        self._objects: dict[str, bytes] = {}

    def reserve(self) -> str:
        reference = f"{len(self._objects) + 1} 0 R"
        self._objects[reference] = b""
        return reference

    def put(self, reference: str, dictionary: str, stream: bytes | None = None) -> None:
        content = b"" if stream is None else b"\nstream\n" + stream + b"\nendstream"
        self._objects[reference] = dictionary.encode("latin-1") + content

    def add(self, dictionary: str, stream: bytes | None = None) -> str:
        reference = self.reserve()
        self.put(reference, dictionary, stream)
        return reference

    def finished(self, root: str, info: str) -> bytes:
        file = bytearray(b"%PDF-1.7\n")
        places = []
        for number, content in enumerate(self._objects.values(), 1):
            places.append(len(file))
            file += b"%d 0 obj\n%s\nendobj\n" % (number, content)
        table = "".join(f"{place:010} 00000 n \n" for place in places)
        size = len(places) + 1
        return bytes(file) + (
            f"xref\n0 {size}\n0000000000 65535 f \n{table}"
            f"trailer << /Size {size} /Root {root} /Info {info} >>\n"
            f"startxref\n{len(file)}\n%%EOF\n"
        ).encode("ascii")


def _put_outline(file: _File, parent: str, entries: Sequence[Entry], pages: Sequence[str]) -> str:
    """What the parent says of its entries."""
    references = [file.reserve() for _ in entries]
    around = ("", *references, "")
    for number, entry in enumerate(entries):
        before, own, after = around[number : number + 3]
        file.put(
            own,
            f"<< /Title {_string(entry.title)} /Parent {parent}"
            f" /Dest [{pages[entry.page]} /XYZ 0 {entry.y} 0]"
            f"{f' /Prev {before}' if before else ''}{f' /Next {after}' if after else ''}"
            f" {_put_outline(file, own, entry.kids, pages)} >>",
        )
    if not references:
        return ""
    return f"/First {references[0]} /Last {references[-1]} /Count {len(references)}"


def _font(file: _File, name: str) -> str:
    letters = "".join(
        f"<{code:02x}> <{letter.encode('utf-16-be').hex()}>\n" for letter, code in LETTERS.items()
    )
    meaning = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n"
        "1 begincodespacerange <00> <ff> endcodespacerange\n"
        f"{len(LETTERS)} beginbfchar\n{letters}endbfchar endcmap end end"
    ).encode("ascii")
    return file.add(
        f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding"
        f" /ToUnicode {file.add(f'<< /Length {len(meaning)} >>', meaning)} >>"
    )


def _encoded(text: str) -> bytes:
    return b"".join(
        bytes([LETTERS[letter]]) if letter in LETTERS else letter.encode("cp1252")
        for letter in text
    )


def _string(text: str) -> str:
    return f"<feff{text.encode('utf-16-be').hex()}>"
