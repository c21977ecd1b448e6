"""Files of every kind, damaged in thousands of ways, and what must hold of each when it is read.

Each mutant is made from its number alone, so that one that harms can be made again.
"""

from __future__ import annotations

import gc
import json
import os
import random
import resource
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zipfile import ZipFile

from rag.adapters.confined.limits import Limits
from rag.adapters.direct import DirectReader
from rag.errors import ParseError, Unreadable, UnsupportedFormat
from rag.ingest.formats.block import PROPERTIES
from rag.ingest.formats.kinds import detect
from rag.model import Parsed
from tests.writers import csv, docx, eml, epub, feed, html, ipynb, md, odt, pdf, pptx, rtf, xlsx
from tests.writers.story import STORY
from tests.writers.zipped import zipped

KINDS: Mapping[str, Sequence[bytes]] = {
    "text": [
        md.write(STORY),
        md.body(STORY).encode("utf-16"),
        md.body(STORY).encode("cp1250", "ignore"),
    ],
    "markdown": [md.write(STORY)],
    "html": [html.write(STORY)],
    "pdf": [pdf.write(STORY), pdf.write(STORY, columns=2)],
    "docx": [docx.write(STORY), docx.numbered("a", "b", "c")],
    "pptx": [pptx.write(STORY)],
    "xlsx": [xlsx.write(STORY)],
    "odt": [odt.write(STORY), odt.numbered("a", "b", "c")],
    "epub": [epub.write(STORY)],
    "rtf": [rtf.write(STORY)],
    "eml": [eml.write(STORY)],
    "feed": [feed.write(STORY)],
    "table": [csv.write(STORY)],
    "data": [ipynb.write(STORY)],
    "notebook": [ipynb.write(STORY)],
}

# So much processor time no file of a few kilobytes may take.
SECONDS = 20
# Memory that reading many files may take for good, once it has read a few.
GROWTH = 48 * 2**20
WARM = 100

_ODD = (
    b"-1", b"0", b"99999999999", b"1e999", b"NaN", b"0" * 50, b"\0", b"\xff\xfe", b"\xed\xa0\x80",
    b"<", b">", b"&", b"&#0;", b"]]>", b"{", b"}", b"[", b"\\", b'"', b"'", b"(", b"|", b"%",
    b"\r\n\r\n", b"\x1b$B",
)  # fmt: skip
_ODD_VALUES = (None, True, -1, 10**30, 1e300, "", "#", "\ud800", "```", [], [[]], {}, {"source": 1})
_ODD_TEXTS = ("", "-1", "0", "2", "99999999999", "1e9", "true", "../..", "#", "A1:ZZZ9", "\u202e")


def mutant(kind: str, number: int) -> bytes:
    """The mutant of this number."""
    rng = random.Random(f"{kind} {number}")
    data = rng.choice(KINDS[kind])
    inner = _inner(kind, data)
    return inner(rng, data) if inner and rng.random() < 0.8 else _damaged(rng, data)


def check(kind: str, data: bytes) -> None:
    """It is told or refused; it is read, and then as it should be, or it is unreadable."""
    with suppress(UnsupportedFormat, ParseError):
        detect(f"x.{kind}", "", data)
    with suppress(Unreadable):
        check_parsed(DirectReader().read(kind, "", data))


def check_parsed(parsed: Parsed) -> None:
    """What holds of the text of any file."""
    parsed.text.encode()
    assert parsed.text.strip()
    assert "\0" not in parsed.text
    starts = [mark.start for mark in parsed.marks]
    assert starts[0] == 0
    assert starts == sorted(set(starts))
    assert starts[-1] < len(parsed.text)
    for mark in parsed.marks:
        assert mark.page is None or mark.page > 0
        assert all(mark.section)
        if mark.header:
            assert 0 <= mark.header.start < mark.header.end <= mark.start
    assert set(parsed.properties) <= PROPERTIES
    assert all(parsed.properties.values())


def main(kind: str, first: int, end: int) -> None:
    """Check these mutants, and say before each which it is."""
    resource.setrlimit(resource.RLIMIT_AS, (Limits().memory,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warm = 0
    for number in range(first, end):
        if number == first + WARM:
            warm = _memory()
        print(number, flush=True)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        check(kind, mutant(kind, number))
    if warm:
        assert _memory() < warm + GROWTH


def _memory() -> int:
    gc.collect()
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _inner(kind: str, data: bytes) -> Callable[[random.Random, bytes], bytes] | None:
    """What damages not the file, but what is in it: that reaches far deeper."""
    if data.startswith(b"PK"):
        return _with_a_damaged_part
    if data.startswith(b"{") and kind != "rtf":
        return _with_a_damaged_value
    return _with_damaged_elements if kind == "feed" else None


def _damaged(rng: random.Random, data: bytes) -> bytes:
    damaged = bytearray(data)
    for _ in range(rng.choice((1, 1, 3, 10, 50))):
        at = rng.randrange(len(damaged) + 1)
        match rng.randrange(6):
            case 0:
                damaged[at : at + 1] = rng.randbytes(1)
            case 1:
                del damaged[at : at + rng.randrange(1, 200)]
            case 2:
                damaged[at:at] = rng.randbytes(rng.randrange(1, 20))
            case 3:
                start = rng.randrange(len(damaged) + 1)
                damaged[at:at] = damaged[start : start + rng.randrange(1, 300)]
            case 4:
                damaged[at:at] = rng.choice(_ODD)
            case 5:
                # Another number, a longer word: what is parted by spaces and signs.
                end = at + rng.randrange(1, 8)
                damaged[at:end] = rng.choice(_ODD)
    if rng.random() < 0.1:
        del damaged[rng.randrange(len(damaged) + 1) :]
    return bytes(damaged)


def _with_a_damaged_part(rng: random.Random, data: bytes) -> bytes:
    with ZipFile(BytesIO(data)) as file:
        parts: dict[str, str | bytes] = {name: file.read(name) for name in file.namelist()}
    name, other = rng.choice(list(parts)), rng.choice(list(parts))
    content = parts[name]
    assert isinstance(content, bytes)
    how = rng.random()
    if how < 0.05:
        del parts[name]
    elif how < 0.1:
        parts[name] = parts[other]
    else:
        change = _with_damaged_elements if how < 0.7 else _damaged
        parts[name] = change(rng, content)
    return zipped(parts)


def _with_damaged_elements(rng: random.Random, data: bytes) -> bytes:
    """XML that is sound, and holds what it should not."""
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError:
        return _damaged(rng, data)
    for _ in range(rng.choice((1, 1, 3, 10))):
        elements = list(root.iter())
        element, other = rng.choice(elements), rng.choice(elements)
        match rng.randrange(6):
            case 0:
                element.clear()
            case 1 if element.attrib:
                element.set(rng.choice(list(element.attrib)), rng.choice(_ODD_TEXTS))
            case 2 if len(element):
                element.remove(rng.choice(list(element)))
            case 3 if len(elements) < 2000:
                element.append(deepcopy(other))
            case 4:
                element.text = rng.choice(_ODD_TEXTS)
            case _:
                element.tag = other.tag
    return ElementTree.tostring(root)


def _with_a_damaged_value(rng: random.Random, data: bytes) -> bytes:
    value = json.loads(data)
    for _ in range(rng.choice((1, 1, 3, 10))):
        inside: Any = value
        while isinstance(inside, dict | list) and inside:
            keys = list(inside) if isinstance(inside, dict) else range(len(inside))
            key = rng.choice(keys)
            if not isinstance(inside[key], dict | list) or rng.random() < 0.3:
                inside[key] = deepcopy(rng.choice(_ODD_VALUES))
                break
            inside = inside[key]
    return json.dumps(value).encode()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
