"""`python -m bench.parse [FOLDER…]`: how fast files are read, beside the bare library of each.

Without a folder, the same made-up story is written in every format. Of each kind of file: ours in
this process and in one of its own, as strangers' files are read, and what our reader is built on,
asked for nothing but its own plain text or tree. Seconds are those of the processor, the least of
some runs, all in turn.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import random
import resource
import sys
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any
from xml.parsers import expat

import pypdfium2 as pdfium
from selectolax.lexbor import LexborHTMLParser

from bench.chunker import ENGLISH, MEGABYTE, spoken
from bench.prose import Words
from rag.adapters.confined.reader import ConfinedReader
from rag.adapters.direct import DirectReader
from rag.errors import FootnoteError, Unreadable
from rag.ingest.formats.kinds import detect
from tests.writers import csv as csv_file
from tests.writers import docx, eml, epub, feed, html, ipynb, md, odt, pdf, pptx, rtf, xlsx
from tests.writers.story import Element, Heading, Items, Paragraph, Story, Table

RUNS = 3
CHAPTERS, PARAGRAPHS, ROWS = 60, 10, 30
SMALL = 1  # chapter, to see what a process takes by itself

Reading = Callable[[bytes], object]


@dataclass(frozen=True, slots=True)
class Sample:
    """Files of one kind."""

    kind: str
    files: Sequence[bytes]

    @property
    def megabytes(self) -> float:
        """Of all of them."""
        return sum(map(len, self.files)) / MEGABYTE

    @property
    def pages(self) -> int:
        """Or slides, of those that have any."""
        return sum(map(PAGES[self.kind], self.files)) if self.kind in PAGES else 0


# The libraries


def pdfium_text(data: bytes) -> None:
    """PDFium's own text of every page."""
    with pdfium.PdfDocument(data) as document:
        for page in document:
            page.get_textpage().get_text_range()


def expat_zip(data: bytes) -> None:
    """Every XML part of a zip through expat, which does nothing with it."""
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        for name in package.namelist():
            if name.endswith((".xml", ".rels", ".xhtml", ".opf", ".ncx")):
                expat_xml(package.read(name))


def expat_xml(data: bytes) -> None:
    """XML through expat, which does nothing with it."""
    expat.ParserCreate().Parse(data, True)


def lexbor_text(data: bytes) -> object:
    """Lexbor's own text of a page."""
    return LexborHTMLParser(data).text()


def email_text(data: bytes) -> object:
    """The body of a message."""
    body = message_from_bytes(data, policy=policy.default).get_body(("plain", "html"))
    return body.get_content() if body else None


def csv_rows(data: bytes) -> object:
    """All rows."""
    return list(csv.reader(io.StringIO(data.decode("utf-8", "replace"), newline="")))


BARE: Mapping[str, tuple[str, Reading]] = {
    "pdf": ("PDFium", pdfium_text),
    **dict.fromkeys(("docx", "pptx", "xlsx", "odt", "epub"), ("zip, expat", expat_zip)),
    "feed": ("expat", expat_xml),
    "html": ("lexbor", lexbor_text),
    "eml": ("email", email_text),
    "table": ("csv", csv_rows),
    **dict.fromkeys(("data", "notebook"), ("json", json.loads)),
}


def slides(data: bytes) -> int:
    """Of a presentation."""
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        return sum(name.startswith("ppt/slides/slide") for name in package.namelist())


PAGES: Mapping[str, Callable[[bytes], int]] = {
    "pdf": lambda data: len(pdfium.PdfDocument(data)),
    "pptx": slides,
}


# What is read


def story(chapters: int, seed: int = 7) -> Story:
    """Prose, lists and tables."""
    rng = random.Random(seed)
    words = Words(ENGLISH.split())
    elements: list[Element] = []
    for number in range(1, chapters + 1):
        elements.append(Heading(1, f"Chapter {number}"))
        for _ in range(PARAGRAPHS):
            text = "".join(spoken(rng, words) for _ in range(rng.randint(3, 8)))
            elements.append(Paragraph(text.strip()))
        elements.append(Items([spoken(rng, words).strip() for _ in range(5)]))
        rows = [[*words.draw(rng, 3), str(rng.randint(1, 999))] for _ in range(ROWS)]
        elements.append(Table(("Name", "Kind", "Place", "Number"), rows))
    return Story("A made-up story", "Nobody", "2024-05-17", elements)


def data(told: Story) -> bytes:
    """A paragraph an object."""
    rows = [{"number": n, "text": one.text} for n, one in enumerate(_paragraphs(told))]
    return json.dumps(rows).encode()


WRITERS: Mapping[str, Callable[[Story], bytes]] = {
    "text": lambda told: "\n\n".join(one.text for one in _paragraphs(told)).encode(),
    "markdown": md.write,
    "html": html.write,
    "pdf": pdf.write,
    "docx": docx.write,
    "pptx": pptx.write,
    "xlsx": xlsx.write,
    "odt": odt.write,
    "epub": epub.write,
    "eml": eml.write,
    "rtf": rtf.write,
    "table": csv_file.write,
    "data": data,
    "notebook": ipynb.write,
    "feed": feed.write,
}


def made_up() -> Iterator[Sample]:
    """The story in every format."""
    told = story(CHAPTERS)
    for kind, write in WRITERS.items():
        yield Sample(kind, [write(told)])


def found(folders: Sequence[Path]) -> Iterator[Sample]:
    """The files of folders that can be read, by kind."""
    files = defaultdict[str, list[bytes]](list)
    for path in sorted(path for folder in folders for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        try:
            kind = detect(path.name, "", content).kind
            ConfinedReader().read(kind, "", content)
        except (FootnoteError, Unreadable):
            continue
        files[kind].append(content)
    for kind in sorted(files):
        yield Sample(kind, files[kind])


def _paragraphs(told: Story) -> list[Paragraph]:
    return [element for element in told.elements if isinstance(element, Paragraph)]


# Measuring


def seconds(ways: Mapping[str, Reading], files: Sequence[bytes]) -> dict[str, float]:
    """The least that each way took for all files."""
    least = dict.fromkeys(ways, float("inf"))
    for _ in range(RUNS):
        for name, way in ways.items():
            begun = cpu_seconds()
            for file in files:
                way(file)
            least[name] = min(least[name], cpu_seconds() - begun)
    return least


def cpu_seconds() -> float:
    """What this process has taken until now, with those that it has started."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def measure(sample: Sample) -> dict[str, float]:
    """Seconds of each way; `start` is that of a process for a small file."""
    kind = sample.kind
    direct, confined = DirectReader(), ConfinedReader()
    ways: dict[str, Reading] = {
        "ours": lambda file: direct.read(kind, "", file),
        "confined": lambda file: confined.read(kind, "", file),
    }
    if kind in BARE:
        ways["bare"] = BARE[kind][1]
    took = seconds(ways, sample.files)
    small = [WRITERS[kind](story(SMALL))]
    return took | {"start": seconds({"start": ways["confined"]}, small)["start"]}


def main(arguments: Sequence[str]) -> int:
    """Print a line a kind."""
    parser = argparse.ArgumentParser(prog="python -m bench.parse", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, help="of files to read")
    options = parser.parse_args(arguments)
    print("MB/s and pages/s; ratio: ours to the bare library's; start: a process with a small file")
    print(
        f"{'':10}{'MB':>7}{'pages':>7}{'ours':>9}{'confined':>9}{'bare':>9}{'ratio':>7}"
        f"{'ours p/s':>10}{'bare p/s':>10}{'start ms':>10}  bare is"
    )
    for sample in found(options.folders) if options.folders else made_up():
        print(line(sample, measure(sample)), flush=True)
    return 0


def line(sample: Sample, took: Mapping[str, float]) -> str:
    """What is printed of a kind."""
    size, pages, bare = sample.megabytes, sample.pages, took.get("bare")

    def rate(amount: float, seconds: float | None, decimals: int) -> str:
        return f"{amount / seconds:.{decimals}f}" if amount and seconds else "–"

    cells: list[tuple[Any, int]] = [
        (f"{size:.2f}", 7),
        (pages or "–", 7),
        (rate(size, took["ours"], 1), 9),
        (rate(size, took["confined"], 1), 9),
        (rate(size, bare, 1), 9),
        (f"{bare / took['ours']:.2f}" if bare else "–", 7),
        (rate(pages, took["ours"], 0), 10),
        (rate(pages, bare, 0), 10),
        (f"{took['start'] * 1000:.0f}", 10),
    ]
    library = BARE[sample.kind][0] if sample.kind in BARE else "our own code"
    return f"{sample.kind:10}{''.join(f'{value!s:>{width}}' for value, width in cells)}  {library}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
